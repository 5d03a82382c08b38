import { type Cluster, type ClusterObject, type Collection } from '@ordeal/kubernetes'
import { versionOf } from './kinds.js'

/** Which objects a text means: `Kind/name`, `Kind{label=value}`, `Kind{label=value}[0]`. */
export interface Target {
  readonly kind: string
  readonly name: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly index: number | null
}

const NOT_NAMESPACED = new Set(['Node', 'Namespace', 'PriorityClass', 'PersistentVolume'])
const TARGET = /^([A-Z]\w+)(?:\/([^\s{]+)|\{([^}]*)\}(?:\[(\d+)\])?)$/

/** Throws for a text that is none. */
export function parseTarget(text: string): Target {
  const [, kind, name, labels, index] = TARGET.exec(text) ?? []
  if (!kind) throw new Error(`not a target: ${text}`)
  const pairs = (labels ?? '').split(',').filter((pair) => pair !== '')
  return {
    kind,
    name: name ?? null,
    labels: Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string])),
    index: index === undefined ? null : Number(index),
  }
}

/** The collection that a target's objects are in. */
export function collectionOf({ kind, labels }: Target, namespace: string): Collection {
  const where = NOT_NAMESPACED.has(kind) ? {} : { namespace }
  return { apiVersion: versionOf(kind), kind, ...where, labels: { ...labels } }
}

/** The objects that a target means now, the oldest first; of one age by name. */
export async function findTargets(cluster: Cluster, namespace: string, target: Target): Promise<ClusterObject[]> {
  const collection = collectionOf(target, namespace)
  if (target.name !== null) {
    const { kind, apiVersion } = collection
    const found = await cluster.objects.get({
      kind,
      apiVersion,
      metadata: { name: target.name, namespace: collection.namespace },
    })
    return found ? [found] : []
  }
  const found = await cluster.objects.list(collection)
  const key = ({ metadata }: ClusterObject) => `${String(metadata.creationTimestamp)} ${metadata.name}`
  const sorted = found.sort((a, b) => key(a).localeCompare(key(b)))
  return target.index === null ? sorted : sorted.slice(target.index, target.index + 1)
}
