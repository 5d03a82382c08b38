import { CHAOS_API, chaosName, chaosSpec, type ClusterObject } from '@ordeal/kubernetes'
import { formatDuration, type Fault, type Hypothesis } from '@ordeal/shared'
import { stepLength, type PlanOf } from './compile-plan.js'
import { type Plan } from './plan.js'

interface Template {
  readonly name: string
  readonly templateType: string
  /** On every node: Chaos Mesh waits for ever without. */
  readonly deadline: string
  readonly children?: readonly string[]
  readonly [spec: string]: unknown
}

/** Slack of the entry node over the sum of its children. */
const SLACK_MS = 60_000

const FIELD: Record<Fault['kind'], string> = { PodChaos: 'podChaos', NetworkChaos: 'networkChaos' }

/**
 * The Chaos Mesh Workflow that injects the same faults at the same offsets: for people who want to repeat a run by hand.
 * Ordeal itself creates each fault on its own, since a Workflow reports success whatever happens.
 */
export function workflowOf(
  hypothesis: Hypothesis,
  plan: Plan,
  { cycle, namespace }: PlanOf & { namespace: string },
): ClusterObject {
  const { pre, fault, post } = plan.windows
  const steps = hypothesis.scenario.faults.map((faults, index) => stepTemplates(faults, index, namespace))
  const faultsMs = hypothesis.scenario.faults.reduce((sum, step) => sum + stepLength(step), 0)
  const restMs = fault.to - fault.from - faultsMs + (post.to - post.from)
  const children = [suspend('pre', pre.to - pre.from), ...steps.flat(), suspend('post', restMs)]
  const entry: Template = {
    name: 'run',
    templateType: 'Serial',
    deadline: formatDuration(post.to + SLACK_MS),
    children: ['pre', ...steps.map(([head]) => head?.name ?? ''), 'post'],
  }
  return {
    apiVersion: CHAOS_API,
    kind: 'Workflow',
    metadata: { name: chaosName(cycle, plan.revision, 'workflow'), namespace },
    spec: { entry: entry.name, templates: [entry, ...children] },
  }
}

const suspend = (name: string, ms: number): Template => ({
  name,
  templateType: 'Suspend',
  deadline: formatDuration(ms),
})

/** The templates of one step; the first is the one that the entry node names. */
function stepTemplates(faults: readonly Fault[], index: number, namespace: string): Template[] {
  const nodes = faults.map((fault) => faultTemplate(fault, namespace))
  if (nodes.length === 1) return nodes
  const parallel: Template = {
    name: `step-${index + 1}`,
    templateType: 'Parallel',
    deadline: formatDuration(stepLength([...faults])),
    children: nodes.map((n) => n.name),
  }
  return [parallel, ...nodes]
}

const faultTemplate = (fault: Fault, namespace: string): Template => ({
  name: `fault-${fault.id}`.toLowerCase(),
  templateType: fault.kind,
  deadline: formatDuration(fault.durationMs),
  [FIELD[fault.kind]]: chaosSpec(fault, namespace),
})
