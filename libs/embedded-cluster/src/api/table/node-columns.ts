import type { StoredObject } from '../../store/object.js'
import { AGE, NAME, type Column } from './cells.js'

interface NodeStatus {
  conditions?: { type: string; status: string }[]
  addresses?: { type: string; address: string }[]
  nodeInfo?: { kubeletVersion?: string; osImage?: string; kernelVersion?: string; containerRuntimeVersion?: string }
}

const ROLE = 'node-role.kubernetes.io/'

export function nodeColumns(): readonly Column[] {
  return [
    NAME,
    { name: 'Status', cell: statusText },
    { name: 'Roles', cell: rolesText },
    AGE,
    { name: 'Version', cell: (node) => infoOf(node).kubeletVersion ?? '' },
    { name: 'Internal-IP', priority: 1, cell: (node) => address(node, 'InternalIP') },
    { name: 'External-IP', priority: 1, cell: (node) => address(node, 'ExternalIP') },
    { name: 'OS-Image', priority: 1, cell: (node) => infoOf(node).osImage ?? '<unknown>' },
    { name: 'Kernel-Version', priority: 1, cell: (node) => infoOf(node).kernelVersion ?? '<unknown>' },
    { name: 'Container-Runtime', priority: 1, cell: (node) => infoOf(node).containerRuntimeVersion ?? '<unknown>' },
  ]
}

function statusOf(node: StoredObject): NodeStatus {
  return node.status ?? {}
}

function infoOf(node: StoredObject): NonNullable<NodeStatus['nodeInfo']> {
  return statusOf(node).nodeInfo ?? {}
}

function statusText(node: StoredObject): string {
  const ready = statusOf(node).conditions?.find(({ type }) => type === 'Ready')
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return (node.spec as { unschedulable?: boolean } | undefined)?.unschedulable ? `${state},SchedulingDisabled` : state
}

function rolesText(node: StoredObject): string {
  const roles = Object.keys(node.metadata.labels ?? {}).filter((label) => label.startsWith(ROLE))
  return (
    roles
      .map((label) => label.slice(ROLE.length))
      .sort()
      .join(',') || '<none>'
  )
}

function address(node: StoredObject, wanted: string): string {
  return statusOf(node).addresses?.find(({ type }) => type === wanted)?.address ?? '<none>'
}
