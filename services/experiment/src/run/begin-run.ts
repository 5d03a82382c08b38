import { type Pod } from '@ordeal/kubernetes'
import { faultSchema, runProblem, type Graph, type Hypothesis } from '@ordeal/shared'
import { z } from 'zod'
import { besideTargets } from '../evidence/witness.js'
import { findProber, type RunningProber } from '../prober/prober-pod.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { bringRevision } from './bring-revision.js'
import { rememberedPod, rememberPod } from './remembered-pod.js'
import { type Targets } from './targets.js'

const targetsSchema = z.object({
  fault: faultSchema,
  pods: z.array(rememberedPod),
  expected: z.number(),
  size: z.number(),
  components: z.array(z.string()),
})

const pod = z.object({ name: z.string(), uid: z.string() })

/** How a run began, as a later attempt finds it: nothing of it follows from the memory of a process. */
export const begunSchema = z.discriminatedUnion('begun', [
  z.object({ begun: z.literal(false), problem: z.object({ reason: runProblem, message: z.string() }) }),
  z.object({
    begun: z.literal(true),
    /** Which attempt at the phase began it. */
    attempt: z.number(),
    prober: pod,
    witness: pod.nullable(),
    targets: z.array(targetsSchema),
    /** All pods of the sandbox. */
    pods: z.array(rememberedPod),
    /** When its pre window began, by the cluster's clock. */
    startedAt: z.number(),
  }),
])
export type Begun = z.infer<typeof begunSchema>

/** A run under way. */
export interface Thread {
  readonly attempt: number
  readonly prober: RunningProber
  readonly witness: RunningProber | null
  readonly targets: readonly Targets[]
  readonly pods: readonly Pod[]
  readonly startedAt: number
}

/** Brings the revision up; `onStart` is called when it works, its targets are known and the plan begins. */
export async function beginRun(
  sandbox: Sandbox,
  { graph, hypothesis, onStart }: { graph: Graph; hypothesis: Hypothesis; onStart: () => Promise<void> },
): Promise<Begun> {
  const brought = await bringRevision(sandbox, graph, hypothesis)
  if (brought.problem) return { begun: false, problem: brought.problem }
  const { prober, witness, targets, pods } = brought
  await onStart()
  return {
    begun: true,
    attempt: sandbox.context.attempt,
    prober: { name: prober.name, uid: prober.uid },
    witness: witness && { name: witness.name, uid: witness.uid },
    targets: targets.map((t) => ({ ...t, pods: t.pods.map(rememberPod), components: [...t.components] })),
    pods: pods.map(rememberPod),
    startedAt: await sandbox.cluster.clock.now(),
  }
}

export const threadOf = (sandbox: Sandbox, begun: Extract<Begun, { begun: true }>): Thread => ({
  ...begun,
  prober: findProber(sandbox, begun.prober),
  witness: begun.witness && findProber(besideTargets(sandbox), begun.witness),
})
