import { type Pod } from '../cluster/object.js'
import { type Operation, OperationError, refTo } from './operation.js'

/** Cordons the node that holds most of the component's pods, and evicts these from it. Throws OperationError. */
export function drainNode(pods: readonly Pod[]): Operation {
  const byNode = Map.groupBy(pods, ({ spec }) => spec.nodeName ?? '')
  byNode.delete('')
  // The first by name among those with the most, so that a run can be repeated.
  const [most] = [...byNode].toSorted(([a, x], [b, y]) => y.length - x.length || a.localeCompare(b))
  if (!most) throw new OperationError('none of its pods is on a node')
  const [name, evicted] = most
  const ref = { apiVersion: 'v1', kind: 'Node', metadata: { name } }
  const cordon = (unschedulable: boolean | null) => ({ spec: { unschedulable } })
  return {
    what: `Node/${name} cordoned and drained of ${evicted.length} ${evicted.length === 1 ? 'pod' : 'pods'}`,
    writes: [{ do: 'patch', ref, patch: cordon(true) }],
    undo: [{ do: 'patch', ref, patch: cordon(null) }],
    evictions: evicted.map((pod) => refTo({ ...pod, apiVersion: 'v1', kind: 'Pod' })),
  }
}
