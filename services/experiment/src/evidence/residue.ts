import { type Pod } from '@ordeal/kubernetes'
import { type RunFault } from '../run/fault.js'

/**
 * What is left of a fault at the pods that it hit, after Chaos Mesh has called it undone, in words; null when nothing is.
 * An application that does not come back by itself is no residue: that is for its checks to say.
 */
export function residueOf({ targets, injection }: RunFault, now: readonly Pod[]): string | null {
  if (injection.recoveredAt === null) return null
  for (const before of targets.pods) {
    const { name, uid } = before.metadata
    const pod = now.find(({ metadata }) => metadata.name === name && metadata.uid === uid)
    if (!injection.targets.includes(name) || !pod) continue
    const other = pod.spec.containers.find((container) => container.image !== imageOf(before, container.name))
    if (other) return `container ${other.name} of ${name} still has the image ${other.image ?? 'of the fault'}`
  }
  return null
}

const imageOf = (pod: Pod, container: string): string | undefined =>
  pod.spec.containers.find(({ name }) => name === container)?.image
