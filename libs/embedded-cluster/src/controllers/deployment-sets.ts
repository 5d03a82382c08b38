import { sameJson } from '../store/object.js'
import { matchesSelector } from '../schema/selectors.js'
import { type Cluster } from './cluster.js'
import { scaled } from './intstr.js'
import { type Deployment, type PodTemplate, type ReplicaSet } from './objects.js'
import { ownerReference } from './owners.js'
import { templateHash } from './template-hash.js'

const SOURCE = { component: 'deployment-controller' }
const HASH_LABEL = 'pod-template-hash'
export const REVISION = 'deployment.kubernetes.io/revision'
export const DESIRED = 'deployment.kubernetes.io/desired-replicas'
const MAXIMUM = 'deployment.kubernetes.io/max-replicas'

/** A Deployment with its ReplicaSets: the one of the current template, if there is one yet, and the older ones. */
export interface Rollout {
  readonly deployment: Deployment
  readonly replicas: number
  readonly current: ReplicaSet | null
  readonly old: readonly ReplicaSet[]
}

export const sizeOf = (set: ReplicaSet): number => set.spec.replicas ?? 1
export const totalSize = (sets: readonly ReplicaSet[]): number => sets.reduce((sum, set) => sum + sizeOf(set), 0)
export const allSets = ({ current, old }: Rollout): ReplicaSet[] => (current ? [...old, current] : [...old])

/** How many pods may be missing, and how many may be too many, while a rolling update is under way. */
export function limitsOf({ spec }: Deployment): { maxSurge: number; maxUnavailable: number } {
  const replicas = spec.replicas ?? 1
  if (spec.strategy?.type === 'Recreate') return { maxSurge: 0, maxUnavailable: 0 }
  const { maxSurge = '25%', maxUnavailable = '25%' } = spec.strategy?.rollingUpdate ?? {}
  const surge = scaled(maxSurge, replicas, 'up')
  const unavailable = scaled(maxUnavailable, replicas, 'down')
  // Both at zero could never move.
  return { maxSurge: surge, maxUnavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas) }
}

/** The Deployment's ReplicaSets, oldest first; matching ones without an owner are adopted. */
export function rolloutOf({ store }: Cluster, deployment: Deployment): Rollout {
  const namespace = deployment.metadata.namespace ?? ''
  const orphans = store.listOwned<ReplicaSet>('replicasets.apps', namespace, null)
  for (const set of orphans) {
    if (!matchesSelector(deployment.spec.selector, set.metadata.labels)) continue
    const metadata = { ...set.metadata, ownerReferences: [ownerReference(deployment)] }
    store.update<ReplicaSet>('replicasets.apps', { ...set, metadata })
  }
  const sets = store.listOwned<ReplicaSet>('replicasets.apps', namespace, deployment.metadata.uid)
  const current = sets.find((set) => sameJson(withoutHash(set.spec.template), deployment.spec.template)) ?? null
  const old = sets.filter((set) => set !== current)
  return { deployment, replicas: deployment.spec.replicas ?? 1, current, old }
}

/** The rollout with a ReplicaSet for the current template; creates it when there is none. */
export function withCurrent(cluster: Cluster, rollout: Rollout): Rollout & { current: ReplicaSet; created: boolean } {
  const { store } = cluster
  const revision = String(Math.max(0, ...rollout.old.map(revisionOf)) + 1)
  if (rollout.current) {
    const marked = annotate(rollout.current, rollout, {
      [REVISION]: revisionOf(rollout.current) < Number(revision) ? revision : String(revisionOf(rollout.current)),
    })
    const spec = { ...marked.spec, minReadySeconds: rollout.deployment.spec.minReadySeconds }
    return { ...rollout, current: store.update<ReplicaSet>('replicasets.apps', { ...marked, spec }), created: false }
  }
  const replicas = newSetSize(rollout, 0)
  const created = store.create<ReplicaSet>('replicasets.apps', newSet(rollout, replicas, revision))
  if (replicas > 0) tellScaled(cluster, rollout.deployment, created, [0, replicas])
  return { ...rollout, current: created, created: true }
}

/** How large the current set may be made now: within maxSurge for rolling updates. */
export function newSetSize(rollout: Rollout, size: number): number {
  if (rollout.deployment.spec.strategy?.type === 'Recreate') return rollout.replicas
  const room = rollout.replicas + limitsOf(rollout.deployment).maxSurge - totalSize(allSets(rollout))
  return room <= 0 ? size : size + Math.min(room, rollout.replicas - size)
}

/** Sets a ReplicaSet's size and its scaling notes; true when the size changed. */
export function scaleSet(cluster: Cluster, rollout: Rollout, set: ReplicaSet, size: number): boolean {
  const before = sizeOf(set)
  const marked = annotate(set, rollout, {})
  cluster.store.update('replicasets.apps', { ...marked, spec: { ...marked.spec, replicas: size } })
  if (size === before) return false
  tellScaled(cluster, rollout.deployment, set, [before, size])
  return true
}

export const revisionOf = (set: ReplicaSet): number => Number(set.metadata.annotations?.[REVISION] ?? 0)

/** The greatest number of pods that the Deployment might have when the set was last scaled. */
export const maximumOf = (set: ReplicaSet): number => Number(set.metadata.annotations?.[MAXIMUM] ?? 0)

function tellScaled({ events }: Cluster, about: Deployment, set: ReplicaSet, [from, to]: [number, number]): void {
  const message = `Scaled ${to > from ? 'up' : 'down'} replica set ${set.metadata.name} from ${from} to ${to}`
  events.record(about, SOURCE, { type: 'Normal', reason: 'ScalingReplicaSet', message })
}

function annotate(set: ReplicaSet, rollout: Rollout, more: Record<string, string>): ReplicaSet {
  const annotations = { ...set.metadata.annotations, ...scalingNotes(rollout), ...more }
  return { ...set, metadata: { ...set.metadata, annotations } }
}

const scalingNotes = ({ deployment, replicas }: Rollout): Record<string, string> => ({
  [DESIRED]: String(replicas),
  [MAXIMUM]: String(replicas + limitsOf(deployment).maxSurge),
})

function newSet(rollout: Rollout, replicas: number, revision: string) {
  const { metadata, spec } = rollout.deployment
  const hash = templateHash(spec.template)
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash }
  const { selector } = spec
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace,
      labels,
      annotations: { ...ownAnnotations(metadata.annotations), ...scalingNotes(rollout), [REVISION]: revision },
      ownerReferences: [ownerReference(rollout.deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
    status: { replicas: 0 },
  }
}

/** A set inherits its Deployment's annotations, but for those that describe the Deployment itself. */
function ownAnnotations(annotations: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(annotations).filter(
    ([key]) => key !== REVISION && key !== 'kubectl.kubernetes.io/last-applied-configuration',
  )
  return Object.fromEntries(kept)
}

function withoutHash(template: PodTemplate): PodTemplate {
  const { [HASH_LABEL]: _hash, ...labels } = template.metadata?.labels ?? {}
  return { ...template, metadata: { ...template.metadata, labels } }
}
