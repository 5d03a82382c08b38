import { type Change, sameJson, timestamp } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { type Condition, conditionOf, keyOf, type Node, splitKey, type Taint } from './objects.js'
import { type Reconciler, WorkQueue } from './queue.js'

const PREFIX = 'node.kubernetes.io/'
const OWN = new Set(['unschedulable', 'not-ready', 'unreachable'].map((name) => `${PREFIX}${name}`))

/** Marks nodes with taints for what their spec and conditions say: cordoned, not ready, not heard of. */
export class NodeTaints implements Reconciler {
  private readonly queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    this.queue = new WorkQueue(cluster.kernel, 'node-taints', this)
    cluster.store.subscribe('nodes', this, 'nodeChanged')
  }

  nodeChanged({ type, object }: Change): void {
    if (type !== 'DELETED') this.queue.add(keyOf(object))
  }

  reconcile(key: string): void {
    const { store, kernel } = this.cluster
    const node = store.get<Node>('nodes', null, splitKey(key)[1])
    if (!node) return
    const before = node.spec.taints ?? []
    const taints = [...before.filter(({ key }) => !OWN.has(key)), ...wanted(node, timestamp(kernel.now))]
    if (!sameJson(before, taints)) store.update('nodes', { ...node, spec: { ...node.spec, taints } })
  }
}

function wanted({ spec, status }: Node, now: string): Taint[] {
  const ready = conditionOf(status.conditions as Condition[] | undefined, 'Ready')?.status
  const state = ready === 'False' ? 'not-ready' : ready === 'Unknown' ? 'unreachable' : null
  const found: Taint[] = [
    ...(spec.unschedulable ? [{ key: `${PREFIX}unschedulable`, effect: 'NoSchedule' as const }] : []),
    ...(state === null
      ? []
      : (['NoSchedule', 'NoExecute'] as const).map((effect) => ({ key: `${PREFIX}${state}`, effect }))),
  ]
  return found.map((taint) => earlier(spec.taints, taint) ?? { ...taint, timeAdded: now })
}

const earlier = (taints: readonly Taint[] | undefined, { key, effect }: Taint): Taint | undefined =>
  taints?.find((taint) => taint.key === key && taint.effect === effect)
