import { type Cluster, type ClusterObject } from '@ordeal/kubernetes'
import { sampleLineSchema } from '@ordeal/prober'
import { recordedKinds } from './kinds.js'
import { makeTrace } from './make-trace.js'
import { type Answer, asMeant, perform, samples, type Stage } from './perform.js'
import { startRecorder } from './record.js'
import { type Scenario } from './scenario.js'
import { type Trace } from './trace.js'

/** A namespace in which one scenario may run. */
export interface Place {
  readonly cluster: Cluster
  readonly namespace: string
  readonly signal: AbortSignal
  readonly outside: (made: ClusterObject) => void
}

export interface Outcome {
  readonly trace: Trace
  /** What did not go as the scenario means it; the trace ends there. */
  readonly problem: string | null
}

/** Runs a scenario on any cluster: the same code, the same requests. Throws when the cluster is lost. */
export async function runScenario(scenario: Scenario, place: Place): Promise<Outcome> {
  const { cluster, namespace } = place
  const nodes = (await cluster.objects.list({ apiVersion: 'v1', kind: 'Node' })).map(({ metadata }) => metadata.name)
  const recorder = await startRecorder(cluster, namespace, recordedKinds(scenario))
  try {
    const { steps, answers, problem } = await performAll(scenario, place)
    const requests = scenario.steps.some((step) => 'traffic' in step) ? await requestsOf(cluster, namespace) : null
    const lives = await recorder.settled()
    const run = { scenario: scenario.name, cluster: cluster.version, namespace, nodes, steps, answers, lives, requests }
    return { trace: makeTrace(run), problem }
  } finally {
    recorder.end()
  }
}

async function performAll(
  scenario: Scenario,
  stage: Stage,
): Promise<{ steps: number[]; answers: Answer[][]; problem: string | null }> {
  const steps: number[] = []
  const answers: Answer[][] = []
  let problem: string | null = null
  for (const step of scenario.steps) {
    if (problem !== null) break
    steps.push(await stage.cluster.clock.now())
    const said = await perform(stage, step)
    answers.push(said)
    if (!asMeant(step, said)) problem = `step ${steps.length}: ${said.join(' | ')}`
  }
  steps.push(await stage.cluster.clock.now())
  return { steps, answers, problem }
}

async function requestsOf(cluster: Cluster, namespace: string): Promise<{ at: number; ok: boolean }[]> {
  return (await samples(cluster, namespace)).map((line) => sampleLineSchema.parse(JSON.parse(line)))
}
