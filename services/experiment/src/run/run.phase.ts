import {
  artefactId,
  cycleOptionsSchema,
  graphSchema,
  hypothesisSchema,
  parseGuard,
  required,
  type ArtefactId,
  type Hypothesis,
  type PhaseHandler,
} from '@ordeal/shared'
import { z } from 'zod'
import { compilePlan } from '../plan/compile-plan.js'
import { planSchema, type Plan } from '../plan/plan.js'
import { workflowOf } from '../plan/workflow.js'
import { quarantine } from '../sandbox/namespaces.js'
import { openSandbox, type Sandbox } from '../sandbox/open-sandbox.js'
import { recordCluster } from '../sandbox/record-cluster.js'
import { type ExperimentSettings } from '../settings.js'
import { whyQuarantined } from './await-health.js'
import { watchesOf } from './guard-run.js'
import { climb, hypothesisAt, isSilent, withIntensity } from './climb-ladder.js'
import { runOnce } from './run-once.js'
import { tellChecks } from './tell.js'

const inputSchema = z.object({ hypothesis: artefactId })

/** One execution of the frozen hypothesis on one revision. */
export const run =
  (settings: ExperimentSettings): PhaseHandler =>
  async (context, input) => {
    const { artefacts, revision } = context
    const hypothesisId = inputSchema.parse(input).hypothesis
    const hypothesis = await artefacts.get(hypothesisId, hypothesisSchema)
    const graph = required(await artefacts.latest('graph', graphSchema), 'graph')
    const { abortWhen } = required(await artefacts.latest('options', cycleOptionsSchema), 'options')
    const watches = watchesOf(abortWhen.map(parseGuard), hypothesis.steadyStates)
    const sandbox = await openSandbox(context, settings)
    const runId = await climb(sandbox, hypothesis, async (step, { steps, isLast }) => {
      const stepped = hypothesisAt(hypothesis, step)
      const plan = await keepPlan(sandbox, stepped)
      await context.announce({ type: 'experiment.planned', revision, data: { plan: plan.id } })
      const onStart = (): Promise<void> =>
        context.announce({ type: 'experiment.started', revision, data: { plan: plan.id, revision } })
      return context.step(`${steps}run`, artefactId.nullable(), async (kept) => {
        const record = await runOnce(sandbox, { graph, hypothesis: stepped, plan: plan.body, watches, onStart, steps })
        const unsafe = whyQuarantined(record, hypothesis.steadyStates)
        if (unsafe !== null) await quarantine(sandbox, unsafe)
        await recordCluster(sandbox)
        if (isSilent(record) && !isLast) return null
        tellChecks(context, hypothesis.steadyStates, record)
        return kept.put('run', withIntensity(record, hypothesis, step), { name: 'run', revision })
      })
    })
    return [{ type: 'experiment.finished', revision, data: { run: runId, hypothesis: hypothesisId } }]
  }

/** Compiles the plan and keeps it with the equivalent Workflow. */
async function keepPlan(sandbox: Sandbox, hypothesis: Hypothesis): Promise<{ id: ArtefactId; body: Plan }> {
  const { context, namespace } = sandbox
  const { artefacts, cycleId: cycle, revision } = context
  const body = planSchema.parse(compilePlan(hypothesis, { cycle, revision }))
  const id = await artefacts.put('plan', body, { name: 'plan', revision })
  const workflow = workflowOf(hypothesis, body, { cycle, revision, namespace })
  await artefacts.put('workflow', workflow, { name: 'workflow', revision })
  return { id, body }
}
