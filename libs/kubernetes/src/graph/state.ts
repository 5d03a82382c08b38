import { type KubernetesObject, mapAt, mapsAt, textAt } from '../input/kubernetes-object.js'
import { containersOf, podSpecOf } from './pod-template.js'

/**
 * Images of systems that keep data by themselves: two of them started side by side are two databases, not one with a
 * spare, unless they are told to form a cluster.
 */
const STATEFUL_IMAGES =
  /^(postgres|postgresql|postgis|timescaledb|mysql|mariadb|percona|mongo|mongodb|redis|valkey|keydb|dragonfly|rabbitmq|kafka|zookeeper|etcd|elasticsearch|opensearch|cassandra|scylla|couchdb|couchbase|neo4j|clickhouse|influxdb|minio|consul|vault|cockroach|mssql|oracle)(-|$)/

/** The last part of an image's name, without registry, tag and digest. */
const imageName = (image: string): string => (image.split('@')[0] ?? '').split('/').at(-1)?.split(':')[0] ?? ''

/** True when a pod holds state of its own, so that more replicas are no redundancy. */
export function isStateful(object: KubernetesObject, objects: readonly KubernetesObject[]): boolean {
  if (mapsAt(mapAt(object, 'spec'), 'volumeClaimTemplates').length) return true
  if (claimsOf(object).some((claim) => !isShared(claim, objects))) return true
  return containersOf(object).some((container) => STATEFUL_IMAGES.test(imageName(textAt(container, 'image') ?? '')))
}

const claimsOf = (object: KubernetesObject): string[] =>
  mapsAt(podSpecOf(object), 'volumes').flatMap(
    (volume) => textAt(mapAt(volume, 'persistentVolumeClaim'), 'claimName') ?? [],
  )

/** A claim that pods on several nodes may mount at once holds one state for all of them. */
function isShared(claim: string, objects: readonly KubernetesObject[]): boolean {
  const found = objects.find((o) => o.kind === 'PersistentVolumeClaim' && o.metadata.name === claim)
  const modes = found ? mapAt(found, 'spec').accessModes : undefined
  return Array.isArray(modes) && modes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany')
}
