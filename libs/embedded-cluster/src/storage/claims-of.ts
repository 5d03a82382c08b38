import { type Pod } from '../controllers/objects.js'

/** Names of the claims whose volumes a pod uses. */
export function claimsOf({ spec }: Pick<Pod, 'spec'>): string[] {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
}
