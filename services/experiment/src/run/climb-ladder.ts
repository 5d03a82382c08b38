import { atStep } from '@ordeal/kubernetes'
import { runSchema, type ArtefactId, type Hypothesis, type Run } from '@ordeal/shared'
import { type Sandbox } from '../sandbox/open-sandbox.js'

/** The hypothesis with its faults as strong as a step of their ladders has them. Hash and checks stay what they are. */
export function hypothesisAt(hypothesis: Hypothesis, step: number): Hypothesis {
  const { scenario } = hypothesis
  const faults = scenario.faults.map((faultsAtOnce) => faultsAtOnce.map((fault) => atStep(fault, step)))
  return { ...hypothesis, scenario: { ...scenario, faults } }
}

/** How many strengths there are to try: the faults themselves, and as many steps as the longest ladder has. */
const stepsOf = ({ scenario }: Hypothesis): number =>
  1 + Math.max(...scenario.faults.flat().map(({ stronger }) => stronger?.length ?? 0))

/** Whether faults were injected by the injector's word alone. */
export const isSilent = ({ problem }: Run): boolean => problem?.reason === 'silent-injection'

/** Says, where there was a choice, how strong the faults of a run were. */
export function withIntensity(run: Run, hypothesis: Hypothesis, step: number): Run {
  const of = stepsOf(hypothesis)
  return of === 1 ? run : { ...run, intensity: { step, of } }
}

/** A run at one step. `steps` begins the names of its durable steps. */
type RunAt = (step: number, of: { steps: string; isLast: boolean }) => Promise<ArtefactId | null>

/**
 * Runs r0 at the lowest step of the ladder, and at the next as long as `runAt` finds that nothing showed (null). A later
 * revision is run at the step that r0 was judged at, and at no other: it is the same experiment.
 */
export async function climb(sandbox: Sandbox, hypothesis: Hypothesis, runAt: RunAt): Promise<ArtefactId> {
  const { context } = sandbox
  const r0 = context.revision > 0 ? await context.artefacts.latest('run', runSchema, 0) : null
  const last = r0 ? (r0.intensity?.step ?? 0) : stepsOf(hypothesis) - 1
  for (let step = r0 ? last : 0; ; step += 1) {
    const run = await runAt(step, { steps: step === 0 ? '' : `ladder-${step}-`, isLast: step >= last })
    if (run !== null) return run
    const message = `r${context.revision}: nothing showed at the targets; the faults are made stronger (step ${step + 1} of ${last})`
    context.progress({ kind: 'note', message })
  }
}
