import { objectIdOf, type ClusterObject, type Pod } from '@ordeal/kubernetes'
import { type Sandbox } from './open-sandbox.js'

/** The object that answers for a pod: its topmost controller, or the pod itself. */
export type OwnerOf = (pod: Pod) => string

const controllerOf = (object: ClusterObject) => object.metadata.ownerReferences?.find((o) => o.controller)

/** How to tell which component a pod belongs to, as things stand now. */
export async function readOwners({ cluster, namespace }: Sandbox): Promise<OwnerOf> {
  const sets = await cluster.objects.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace })
  const ownerOfSet = new Map(sets.map((set) => [set.metadata.name, controllerOf(set)]))
  return (pod) => {
    const direct = controllerOf(pod)
    if (!direct) return objectIdOf(pod)
    const top = (direct.kind === 'ReplicaSet' ? ownerOfSet.get(direct.name) : null) ?? direct
    return `${top.kind}/${top.name}`
  }
}

/** The pods of the sandbox (with these labels), oldest first as the server lists them. */
export const listPods = ({ cluster, namespace }: Sandbox, labels?: Record<string, string>): Promise<Pod[]> =>
  cluster.objects.list<Pod>({ apiVersion: 'v1', kind: 'Pod', namespace, labels })

/** A pod that runs, or is about to: neither finished nor on its way out. */
export const isLive = (pod: Pod): boolean =>
  !pod.metadata.deletionTimestamp && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed'
