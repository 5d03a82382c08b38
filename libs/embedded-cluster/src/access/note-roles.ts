import { type Cluster } from '../controllers/cluster.js'
import { type ResourceKey } from '../schema/resources.js'
import { type Change } from '../store/object.js'

const KINDS: readonly ResourceKey[] = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map(
  (plural) => `${plural}.rbac.authorization.k8s.io` as ResourceKey,
)
const MADE_BY = 'app.kubernetes.io/managed-by'

/** Names among the assumptions every role and binding of an application: they decide less here than on a real cluster. */
export class RoleNotes {
  constructor(private readonly cluster: Cluster) {
    for (const key of KINDS) cluster.store.subscribe(key, this, 'changed')
  }

  changed({ type, object: { kind, metadata } }: Change): void {
    if (type !== 'ADDED' || metadata.labels?.[MADE_BY] === 'ordeal') return
    this.cluster.assume(
      `${kind}/${metadata.name} decides what is answered to who asks for access; no program in the cluster is denied any`,
    )
  }
}
