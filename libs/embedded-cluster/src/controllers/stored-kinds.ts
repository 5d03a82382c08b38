import { type ResourceKey } from '../schema/resources.js'
import { type Change } from '../store/object.js'
import { type Cluster } from './cluster.js'

const ACCESS = 'nothing inside the cluster is denied access'

/** Kinds that are kept without effect, and what that means to whoever reads the results. */
const STORED: Readonly<Partial<Record<ResourceKey, string>>> = {
  'roles.rbac.authorization.k8s.io': ACCESS,
  'rolebindings.rbac.authorization.k8s.io': ACCESS,
  'clusterroles.rbac.authorization.k8s.io': ACCESS,
  'clusterrolebindings.rbac.authorization.k8s.io': ACCESS,
}

/** Names every object that is kept without effect among the assumptions. */
export class StoredKinds {
  constructor(private readonly cluster: Cluster) {
    for (const key of Object.keys(STORED)) cluster.store.subscribe(key as ResourceKey, this, 'changed')
  }

  changed({ type, object }: Change, resource: ResourceKey): void {
    if (type !== 'ADDED') return
    const name = `${object.kind}/${object.metadata.name}`
    this.cluster.assume(`${name} is kept, without effect: ${STORED[resource] ?? ''}`)
  }
}
