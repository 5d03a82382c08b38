import { type PersistentVolume, type PersistentVolumeClaim } from '../controllers/objects.js'
import { fitsAnyTerm } from './node-affinity.js'
import { claimsOf } from '../storage/claims-of.js'
import { never, unless, type Filter, type Scene } from './scene.js'

/** Every volume of the pod can be reached from the node. */
export const volumes: Filter = (scene, { node, pods }) => {
  const { claims } = scene.once('volumes', () => boundClaims(scene))
  for (const { claim, volume } of claims) {
    const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms
    if (terms && !fitsAnyTerm(terms, node)) return never("node(s) didn't match PersistentVolume's node affinity")
    const exclusive = claim.spec.accessModes?.includes('ReadWriteOncePod')
    const name = claim.metadata.name
    if (exclusive && [...pods.values()].some((other) => isUser(other, claim) && claimsOf(other).includes(name))) {
      return unless(IN_USE)
    }
  }
  return null
}

const IN_USE =
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod'

const isUser = (pod: { metadata: { namespace?: string } }, claim: PersistentVolumeClaim): boolean =>
  pod.metadata.namespace === claim.metadata.namespace

interface Bound {
  readonly claim: PersistentVolumeClaim
  readonly volume: PersistentVolume
}

/** Why the pod cannot be placed anywhere, since a claim of it is missing or waits for a volume; null when none does. */
export function volumeProblem(scene: Scene): string | null {
  return scene.once('volumes', () => boundClaims(scene)).problem
}

function boundClaims({ store, pod }: Scene): { claims: Bound[]; problem: string | null } {
  const claims: Bound[] = []
  for (const name of claimsOf(pod)) {
    const claim = store.get<PersistentVolumeClaim>('persistentvolumeclaims', pod.metadata.namespace ?? '', name)
    if (!claim) return { claims, problem: `persistentvolumeclaim "${name}" not found` }
    if (claim.metadata.deletionTimestamp !== undefined) {
      return { claims, problem: `persistentvolumeclaim "${name}" is being deleted` }
    }
    const volume = store.get<PersistentVolume>('persistentvolumes', null, claim.spec.volumeName ?? '')
    if (claim.status?.phase !== 'Bound' || !volume) {
      return { claims, problem: 'pod has unbound immediate PersistentVolumeClaims' }
    }
    claims.push({ claim, volume })
  }
  return { claims, problem: null }
}
