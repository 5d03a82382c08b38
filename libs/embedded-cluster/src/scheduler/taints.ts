import { type Node, type Pod, type Taint, type Toleration } from '../controllers/objects.js'
import { never, type Filter } from './scene.js'

const CORDONED: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' }

/** The node is not cordoned, or the pod does not mind. */
export const schedulable: Filter = ({ pod }, { node }) =>
  node.spec.unschedulable && !isTolerated(pod, CORDONED) ? never('node(s) were unschedulable') : null

/** The pod tolerates every taint of the node that keeps pods away. */
export const taints: Filter = ({ pod }, { node }) =>
  hasUntolerated(pod, node) ? never('node(s) had untolerated taint(s)') : null

export function hasUntolerated(pod: Pod, node: Node): boolean {
  return (node.spec.taints ?? []).some((taint) => taint.effect !== 'PreferNoSchedule' && !isTolerated(pod, taint))
}

function isTolerated({ spec }: Pod, taint: Taint): boolean {
  return (spec.tolerations ?? []).some((toleration) => tolerates(toleration, taint))
}

export function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false
  if (key && key !== taint.key) return false
  return operator === 'Exists' || value === (taint.value ?? '')
}

/** How many taints of the node ask the pod, softly, to stay away. */
export function softTaints(pod: Pod, node: Node): number {
  const soft = (node.spec.taints ?? []).filter(({ effect }) => effect === 'PreferNoSchedule')
  return soft.filter((taint) => !isTolerated(pod, taint)).length
}
