import { DeadlineError, type Fault, type Graph, type Hypothesis, type Run, type Windows } from '@ordeal/shared'
import { isChaosFault, RefusedError, type Pod } from '@ordeal/kubernetes'
import { awaitLastFigures } from '../evidence/await-figures.js'
import { residueOf } from '../evidence/residue.js'
import { listPods } from '../sandbox/owners.js'
import { withMeasuredEffects } from '../evidence/measured-effects.js'
import { ProberLostError, type RunningProber } from '../prober/prober-pod.js'
import { lastWordAfter } from '../prober/probes.js'
import { type SampleLine } from '@ordeal/prober'
import { type Plan } from '../plan/plan.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { NotUndoneError } from '../undo/undo-ledger.js'
import { awaitStragglers, hitComponents, worksAtLast } from './await-health.js'
import { beginRun, begunSchema, threadOf, type Thread } from './begin-run.js'
import { executePlan } from './execute-plan.js'
import { plannedFault, type RunFault } from './fault.js'
import { type Watch } from './guard-run.js'
import { observe } from './observe.js'
import { samplesOf } from './read-samples.js'
import { type Problem } from './refuse.js'
import { ThreadLostError } from './take-up.js'

/** What a run is of. */
export interface RunOf {
  readonly graph: Graph
  readonly hypothesis: Hypothesis
  readonly plan: Plan
  /** Begins the names of the durable steps: a run at each step of the ladder has its own. */
  readonly steps: string
  /** What stops the run before its time. */
  readonly watches: readonly Watch[]
  /** Called when the revision is up, its targets are known and the plan begins. */
  readonly onStart: () => Promise<void>
}

/**
 * Brings the revision up, executes the plan on it, and gathers what shows how it went. Whatever keeps the run from being
 * judged is its `problem`. A run that an earlier attempt began is gone on with where it was, as long as its timeline can
 * be kept to the letter; else it is begun anew, and says so.
 */
export async function runOnce(sandbox: Sandbox, of: RunOf): Promise<Run> {
  for (let again = 1; ; again += 1) {
    try {
      return await runThread(sandbox, of, again)
    } catch (error) {
      if (error instanceof ThreadLostError) {
        sandbox.context.progress({ kind: 'note', message: `${nameOf(sandbox)}: begun anew, since ${error.message}` })
        continue
      }
      const problem = problemOf(error)
      if (!problem) throw error
      return nothingRan(sandbox, of, problem)
    }
  }
}

const nameOf = ({ context }: Sandbox): string => `r${context.revision}`

async function runThread(sandbox: Sandbox, of: RunOf, again: number): Promise<Run> {
  const { context } = sandbox
  const steps = `${of.steps}${again === 1 ? '' : `again-${again}-`}`
  const begun = await context.step(`${steps}begin`, begunSchema, () => {
    if (context.attempt > 1 && again === 1) tellAnew(sandbox)
    return beginRun(sandbox, of)
  })
  if (!begun.begun) return nothingRan(sandbox, of, begun.problem)
  return runPlan(sandbox, of, { thread: threadOf(sandbox, begun), steps })
}

function tellAnew(sandbox: Sandbox): void {
  const { context } = sandbox
  const message = `${nameOf(sandbox)}: begun anew, since attempt ${context.attempt - 1} was cut short`
  context.progress({ kind: 'note', message })
}

function problemOf(error: unknown): Problem | null {
  if (error instanceof ProberLostError) return { reason: 'prober-lost', message: error.message }
  if (error instanceof DeadlineError) return { reason: 'not-settled', message: error.message }
  if (error instanceof NotUndoneError) return { reason: 'not-recovered', message: error.message }
  if (error instanceof RefusedError) return { reason: 'rejected-by-cluster', message: error.message }
  return null
}

async function nothingRan({ cluster, context }: Sandbox, { hypothesis }: RunOf, problem: Problem): Promise<Run> {
  const now = await cluster.clock.now()
  const moment = { from: now, to: now }
  return {
    revision: context.revision,
    ...(context.attempt > 1 ? { attempt: context.attempt } : {}),
    hypothesisHash: hypothesis.hash,
    windows: { pre: moment, fault: moment, post: moment },
    injections: [],
    samples: {},
    observations: [],
    problem,
  }
}

async function runPlan(
  sandbox: Sandbox,
  { watches, hypothesis, plan }: RunOf,
  { thread, steps }: { thread: Thread; steps: string },
): Promise<Run> {
  const { cluster, context } = sandbox
  const resumed = context.attempt - thread.attempt
  const seconds = Math.round(plan.windows.post.to / 1000)
  const words = resumed ? 'is gone on with where it was' : `takes ${seconds} s of the cluster's time`
  context.progress({ kind: 'step', message: `${nameOf(sandbox)}: the experiment ${words}` })
  const executed = await executePlan(sandbox, {
    plan,
    thread,
    steps,
    planned: placeFaults(sandbox, plan, thread),
    watches,
  })
  await cluster.clock.waitUntil(executed.windows.post.to + lastWordAfter(hypothesis.steadyStates), context.signal)
  await awaitLastFigures(sandbox, thread.prober, executed)
  const heard = await listen(thread, hypothesis, executed.windows)
  const lines = [...heard.lines, ...(await testimonyOf(thread.witness))]
  const faults = executed.faults.map((fault) => withMeasuredEffects(fault, lines, executed.windows))
  const left = residue(faults, await listPods(sandbox))
  const observations = await observe(sandbox, thread.pods, executed.windows)
  await thread.prober.stop()
  await thread.witness?.stop()
  const came = { recovery: executed.recovery ?? [], hits: hitComponents(executed.faults) }
  const recovery = await awaitStragglers(sandbox, came, {
    since: executed.windows.post.from,
    works: worksAtLast(hypothesis.steadyStates, heard.samples),
  })
  return {
    revision: context.revision,
    ...(thread.attempt > 1 ? { attempt: thread.attempt } : {}),
    ...(resumed ? { resumed } : {}),
    hypothesisHash: hypothesis.hash,
    windows: executed.windows,
    injections: faults.map((f) => f.injection),
    ...(executed.recovery ? { recovery } : {}),
    samples: heard.samples,
    observations,
    problem: executed.problem ?? left ?? heard.problem ?? silence(faults),
  }
}

function placeFaults({ namespace, labels }: Sandbox, plan: Plan, { targets, witness }: Thread): RunFault[] {
  const names = new Map(plan.actions.map((a) => [a.fault, a.name]))
  return targets.map((t) =>
    plannedFault(t, { name: names.get(t.fault.id) ?? t.fault.id, namespace, labels }, witness?.name ?? null),
  )
}

interface Heard {
  readonly lines: readonly SampleLine[]
  readonly samples: Run['samples']
  readonly problem: Problem | null
}

/** The prober's samples; a prober that did not run through is a problem of the run, not an error. */
async function listen({ prober }: Thread, { steadyStates }: Hypothesis, windows: Windows): Promise<Heard> {
  let lines: readonly SampleLine[] = []
  try {
    lines = await prober.samples()
    await prober.assertAlive()
    return { lines, samples: samplesOf(lines, steadyStates, windows), problem: null }
  } catch (error) {
    const problem = problemOf(error)
    if (!problem) throw error
    return { lines, samples: {}, problem }
  }
}

/** What a witness saw; one that was lost saw nothing, and its faults are silent. */
async function testimonyOf(witness: RunningProber | null): Promise<readonly SampleLine[]> {
  try {
    return witness ? await witness.samples() : []
  } catch (error) {
    if (!(error instanceof ProberLostError)) throw error
    return []
  }
}

/** Chaos Mesh has let a fault go, and something of it is still there. */
function residue(faults: readonly RunFault[], now: readonly Pod[]): Problem | null {
  for (const fault of faults) {
    const what = residueOf(fault, now)
    const { id, action } = fault.targets.fault
    if (what) return { reason: 'not-recovered', message: `fault ${id} (${action}) is over for Chaos Mesh, but ${what}` }
  }
  return null
}

const reportOf = (fault: Fault): string =>
  isChaosFault(fault)
    ? `Chaos Mesh reports fault ${fault.id} (${fault.action}) as injected`
    : `fault ${fault.id} (${fault.action}) was carried out`

/** A record without an effect at the target: nothing was tested. */
function silence(faults: readonly RunFault[]): Problem | null {
  const silent = faults.find((f) => f.injection.evidence.record !== null && f.injection.evidence.effect === null)
  if (!silent) return null
  const { fault } = silent.targets
  const { targets, evidence } = silent.injection
  const where = targets.filter((pod) => evidence.shown?.[pod] === undefined)
  return {
    reason: 'silent-injection',
    message: `${reportOf(fault)}, but nothing shows at ${where.join(', ')}`,
  }
}
