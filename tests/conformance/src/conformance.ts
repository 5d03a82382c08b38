import { join, resolve } from 'node:path'
import { RefusedError } from '@ordeal/kubernetes'
import { compareTraces, type Difference } from './compare.js'
import { judge, type Judged, type Known, readKnown } from './differences.js'
import { startEmbeddedHost } from './embedded.js'
import { inLanes } from './in-lanes.js'
import { readCorpus, type Written } from './read-corpus.js'
import { openRealHost } from './real.js'
import { type Trace } from './trace.js'
import { readTrace } from './traces.js'

const HOME = resolve(import.meta.dirname, '..')
const SCENARIOS = join(HOME, 'scenarios')
export const TRACES = join(HOME, 'traces')
const KNOWN = join(HOME, 'differences.yaml')

/** The corpus and what is known of how the clusters differ. */
export interface Corpus {
  readonly scenarios: readonly Written[]
  readonly known: readonly Known[]
}

export async function openCorpus(): Promise<Corpus> {
  return { scenarios: await readCorpus(SCENARIOS), known: await readKnown(KNOWN) }
}

/** What is to be compared with the embedded cluster, by scenario. */
export type RealTrace = (written: Written) => Promise<Trace>

/** Recorded traces. Throws for a scenario that has none. */
export const recorded: RealTrace = async ({ name }) => {
  const trace = await readTrace(TRACES, name)
  if (trace) return trace
  throw new Error(`${name} has no recorded trace: npm run conformance -- --cluster CONTEXT --record --only ${name}`)
}

/** How scenarios run on a real cluster. */
export interface OnReal {
  /** Of its kubeconfig. */
  readonly context: string
  /** Scenarios at once. */
  readonly lanes: number
  readonly signal: AbortSignal
  readonly done?: (trace: Trace) => Promise<void>
}

interface Recording {
  readonly traces: ReadonlyMap<string, Trace>
  /** What did not go as its scenario means it, by scenario. */
  readonly problems: ReadonlyMap<string, string>
}

async function recordAll(scenarios: readonly Written[], { context, lanes, signal, done }: OnReal): Promise<Recording> {
  const host = await openRealHost(context, signal)
  const traces = new Map<string, Trace>()
  const problems = new Map<string, string>()
  try {
    await inLanes(scenarios, { lanes, alone: ({ scenario }) => scenario.nodes }, async (written) => {
      const { trace, problem } = await host.run(written)
      if (problem !== null) return void problems.set(written.name, problem)
      traces.set(written.name, trace)
      await done?.(trace)
    })
  } finally {
    await host.close()
  }
  return { traces, problems }
}

/** A recording is made with care; what runs now may share its machine with anything. */
const LIVE_SLACK = 2
/** How often a scenario that differs runs again: chance (which pod was hit, who was asked) hardly differs three times. */
const AGAIN = 2

/**
 * Compares scenarios with what a real cluster does now, in bands twice as wide. One that differs, or does not go as it
 * means to, runs again with no other beside it: what a busy machine does only sometimes is no difference between the
 * clusters. Throws for one that does not go there as it means to even then.
 */
export async function compareNow(corpus: Corpus, scenarios: readonly Written[], real: OnReal): Promise<Verdict> {
  const slack = LIVE_SLACK
  const compared = (some: readonly Written[], traces: Recording['traces']) =>
    compareAll(corpus, some, inRecording({ traces }), { slack })
  let recording = await recordAll(scenarios, real)
  for (let again = 1; again <= AGAIN; again++) {
    const { differing } = await compared(scenarios.filter(ranIn(recording)), recording.traces)
    const open = scenarios.filter(({ name }) => recording.problems.has(name) || differing.includes(name))
    if (open.length === 0) break
    const { traces, problems } = await recordAll(open, { ...real, lanes: 1 })
    recording = { traces: new Map([...recording.traces, ...traces]), problems }
  }
  const problems = [...recording.problems].map(([name, problem]) => `${name}: ${problem}`)
  if (problems.length > 0) throw new Error(`not as the scenario means it, on the real cluster:\n${problems.join('\n')}`)
  // What differs in one recording and not in the next is still known to differ.
  return { ...(await compared(scenarios, recording.traces)), unused: [] }
}

const ranIn =
  ({ traces }: Pick<Recording, 'traces'>) =>
  ({ name }: Written): boolean =>
    traces.has(name)

const inRecording =
  ({ traces }: Pick<Recording, 'traces'>): RealTrace =>
  ({ name }) => {
    const trace = traces.get(name)
    return trace ? Promise.resolve(trace) : Promise.reject(new Error(`${name} did not run`))
  }

export interface Verdict extends Judged {
  readonly scenarios: number
  readonly differing: readonly string[]
}

/** Runs scenarios on the embedded cluster and compares each with its real trace, in bands wider by `slack`. */
export async function compareAll(
  corpus: Corpus,
  scenarios: readonly Written[],
  real: RealTrace,
  { seed = 1, slack = 1 }: { readonly seed?: number; readonly slack?: number } = {},
): Promise<Verdict> {
  const host = await startEmbeddedHost(seed)
  const differences: Difference[] = []
  try {
    for (const written of scenarios)
      differences.push(...(await compareOne((one) => host.run(one), written, { real, slack })))
  } finally {
    await host.close()
  }
  const whole = scenarios.length === corpus.scenarios.length
  const judged = judge(differences, corpus.known)
  const differing = [...new Set(judged.unexplained.map(({ scenario }) => scenario))]
  return { ...judged, unused: whole ? judged.unused : [], scenarios: scenarios.length, differing }
}

type Run = Awaited<ReturnType<typeof startEmbeddedHost>>['run']

interface Against {
  readonly real: RealTrace
  /** By how much bands are wider than the scenario says. */
  readonly slack: number
}

async function compareOne(run: Run, written: Written, { real, slack }: Against): Promise<Difference[]> {
  const here = { scenario: written.name, object: '-', track: 'steps' }
  const outcome = await run(written).catch((error: unknown) => {
    if (error instanceof RefusedError) return error.message
    throw error
  })
  // A kind that it does not have.
  if (typeof outcome === 'string') return [{ ...here, text: `refused by the embedded cluster: ${outcome}` }]
  const { trace, problem } = outcome
  // What came after the step that failed has nothing to be compared with.
  if (problem !== null) return [{ ...here, text: `the embedded cluster does not get past ${problem}` }]
  const { scenario } = written
  const bands = { band: scenario.band * slack, blink: scenario.blink, share: scenario.share * slack }
  return compareTraces(await real(written), trace, bands)
}

/** The part of a corpus that is due in one run of CI: scenario by scenario, so that each part has some of each kind. */
export function partOf(
  scenarios: readonly Written[],
  part: { readonly number: number; readonly of: number },
): Written[] {
  return scenarios.filter((_, index) => index % part.of === part.number % part.of)
}
