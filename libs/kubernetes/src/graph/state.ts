import { type KubernetesObject, mapAt, mapsAt, numberAt, textAt } from '../input/kubernetes-object.js'
import { containersOf, podSpecOf } from './pod-template.js'

/**
 * Images of systems that keep data by themselves: two of them started side by side are two databases, not one with a
 * spare, unless they are told to form a cluster.
 */
const STATEFUL_IMAGES =
  /^(postgres|postgresql|postgis|timescaledb|mysql|mariadb|percona|mongo|mongodb|redis|valkey|keydb|dragonfly|rabbitmq|kafka|zookeeper|etcd|elasticsearch|opensearch|cassandra|scylla|couchdb|couchbase|neo4j|clickhouse|influxdb|minio|consul|vault|cockroach|mssql|oracle)(-|$)/

/** What is named for such a system but only speaks to one: `redis-exporter`, `mongo-express`, `kafka-ui`. */
const TOOLS_OF_STORES =
  /-(follower|slave|replica|sentinel|exporter|express|ui|operator|admin|client|proxy|connect|backup|cli|init|injector|migrat\w*|commander|controller|manager)s?(-|$)/

/** The last part of an image's name, without registry, tag and digest. */
export const imageName = (image: string): string => (image.split('@')[0] ?? '').split('/').at(-1)?.split(':')[0] ?? ''

/** True when an image is that of a system that keeps data: `redis`, `docker.io/bitnami/postgresql:16`. */
const isStore = (image: string): boolean =>
  STATEFUL_IMAGES.test(imageName(image)) && !TOOLS_OF_STORES.test(imageName(image))

/** Ports of such systems (IANA), by which an image of a name of its own, such as `user-db`, is told. */
const STORE_PORTS = new Set([1433, 1521, 3306, 5432, 6379, 9042, 26257, 27017])
const STORE_NAME = /(^|[-_])(db|database|sql|mysql|mariadb|postgres(ql)?|mongo(db)?|redis|cassandra)($|[-_])/

/** True for a workload that runs a system which keeps data, by its image. */
export const holdsData = (object: KubernetesObject): boolean =>
  containersOf(object).some((container) => {
    const image = textAt(container, 'image') ?? ''
    const name = imageName(image)
    const isOnPort = mapsAt(container, 'ports').some((p) => STORE_PORTS.has(numberAt(p, 'containerPort') ?? 0))
    return isStore(image) || (isOnPort && STORE_NAME.test(name) && !TOOLS_OF_STORES.test(name))
  })

/** True when a pod holds state of its own, so that more replicas are no redundancy. `shared`: see `sharedClaims`. */
export function isStateful(object: KubernetesObject, shared: ReadonlySet<string>): boolean {
  if (mapsAt(mapAt(object, 'spec'), 'volumeClaimTemplates').length) return true
  if (claimsOf(object).some((claim) => !shared.has(claim))) return true
  if (object.kind === 'StatefulSet' && writesToNode(object)) return true
  return holdsData(object)
}

/** True when a container may write to a directory of its node: a StatefulSet that does so keeps its data there. */
function writesToNode(object: KubernetesObject): boolean {
  const onNode = mapsAt(podSpecOf(object), 'volumes').filter((v) => textAt(mapAt(v, 'hostPath'), 'path') !== null)
  const names = new Set(onNode.map((v) => textAt(v, 'name')))
  return containersOf(object).some((container) =>
    mapsAt(container, 'volumeMounts').some((mount) => names.has(textAt(mount, 'name')) && mount.readOnly !== true),
  )
}

const claimsOf = (object: KubernetesObject): string[] =>
  mapsAt(podSpecOf(object), 'volumes').flatMap(
    (volume) => textAt(mapAt(volume, 'persistentVolumeClaim'), 'claimName') ?? [],
  )

/** The names of the claims that pods on several nodes may mount at once: such a claim holds one state for all of them. */
export const sharedClaims = (objects: readonly KubernetesObject[]): Set<string> =>
  new Set(objects.filter(isSharedClaim).map((o) => o.metadata.name))

function isSharedClaim(object: KubernetesObject): boolean {
  const modes = object.kind === 'PersistentVolumeClaim' ? mapAt(object, 'spec').accessModes : undefined
  return Array.isArray(modes) && modes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany')
}
