import { CHAOS_API, chaosName, chaosSpec, isChaosFault, type ClusterObject } from '@ordeal/kubernetes'
import { formatDuration, stepLengthMs, type Fault, type FaultKind, type Hypothesis } from '@ordeal/shared'
import { type PlanOf } from './compile-plan.js'
import { type Plan } from './plan.js'

interface Template {
  readonly name: string
  readonly templateType: string
  /** On every node: Chaos Mesh waits for ever without. */
  readonly deadline: string
  readonly children?: readonly string[]
  readonly [spec: string]: unknown
}

/** Chaos Mesh needs a moment for each node. One that only waits for its children must not end before they do. */
const SLACK_MS = 60_000

const FIELD: Record<FaultKind, string> = {
  PodChaos: 'podChaos',
  NetworkChaos: 'networkChaos',
  DNSChaos: 'dnsChaos',
  HTTPChaos: 'httpChaos',
  StressChaos: 'stressChaos',
  IOChaos: 'ioChaos',
  TimeChaos: 'timeChaos',
}

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
  const { faults } = hypothesis.scenario
  const steps = faults.map((step, index) => stepTemplates(step, index, namespace))
  const faultsMs = faults.reduce((sum, step) => sum + stepLengthMs(step), 0)
  const restMs = fault.to - fault.from - faultsMs + (post.to - post.from)
  const children = [...wait('pre', pre.to - pre.from), ...steps.flat(), ...wait('post', restMs)]
  const heads = [...wait('pre', pre.to - pre.from), ...steps.flatMap(([head]) => head ?? []), ...wait('post', restMs)]
  return {
    apiVersion: CHAOS_API,
    kind: 'Workflow',
    metadata: { name: chaosName(cycle, plan.revision, 'workflow'), namespace },
    spec: { entry: 'run', templates: [serial('run', heads, post.to), ...children] },
  }
}

/** Nothing, where there is nothing to wait for. */
const wait = (name: string, ms: number): Template[] =>
  ms > 0 ? [{ name, templateType: 'Suspend', deadline: formatDuration(ms) }] : []

const serial = (name: string, children: readonly Template[], ms: number): Template => ({
  name,
  templateType: 'Serial',
  deadline: formatDuration(ms + SLACK_MS * children.length),
  children: children.map((child) => child.name),
})

/** The templates of one step; the first is the one that the entry node names. */
function stepTemplates(faults: readonly Fault[], index: number, namespace: string): Template[] {
  const branches = faults.map((fault) => branchTemplates(fault, namespace))
  const [only] = branches
  if (branches.length === 1 && only) return only
  const heads = branches.flatMap(([head]) => head ?? [])
  const lasts = Math.max(...heads.map(({ children = [] }) => children.length))
  const parallel: Template = {
    name: `step-${index + 1}`,
    templateType: 'Parallel',
    deadline: formatDuration(stepLengthMs(faults) + SLACK_MS * (1 + lasts)),
    children: heads.map((head) => head.name),
  }
  return [parallel, ...branches.flat()]
}

/** A fault, after the time that it waits. */
function branchTemplates(fault: Fault, namespace: string): Template[] {
  const id = fault.id.toLowerCase()
  const deadline = formatDuration(fault.durationMs)
  // What Chaos Mesh cannot do has its time kept free for whoever does it.
  const node: Template = isChaosFault(fault)
    ? { name: `fault-${id}`, templateType: fault.kind, deadline, [FIELD[fault.kind]]: chaosSpec(fault, { namespace }) }
    : { name: `by-hand-${id}`, templateType: 'Suspend', deadline }
  const waiting = wait(`wait-${id}`, fault.startAfterMs ?? 0)
  if (waiting.length === 0) return [node]
  const both = [...waiting, node]
  return [serial(`later-${id}`, both, (fault.startAfterMs ?? 0) + fault.durationMs), ...both]
}
