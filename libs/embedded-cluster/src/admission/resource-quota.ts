import { canonicalQuantity, parseQuantity } from '../schema/quantity.js'
import { RESOURCES, type ResourceKey } from '../schema/resources.js'
import { type Container, type Quantities } from '../controllers/objects.js'
import { type K8sObject, type StoredObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { refuse } from './refuse.js'

export interface ResourceQuota extends StoredObject {
  spec: { hard?: Quantities }
  status?: { hard?: Quantities; used?: Quantities }
}

type Usage = Readonly<Record<string, number>>

/** Throws ApiError 403 when the new object would take more than a quota of its namespace leaves. */
export function checkQuota(store: ObjectStore, resource: ResourceKey, object: K8sObject): void {
  const { namespace } = object.metadata
  if (namespace === undefined || store.count('resourcequotas') === 0) return
  const wanted = usageOf(resource, object)
  for (const quota of store.list<ResourceQuota>('resourcequotas', namespace))
    check({ store, resource, object, wanted, quota })
}

interface Question {
  readonly store: ObjectStore
  readonly resource: ResourceKey
  readonly object: K8sObject
  readonly wanted: Usage
  readonly quota: ResourceQuota
}

function check({ store, resource, object, wanted, quota }: Question): void {
  const hard = (quota.spec as typeof quota.spec | undefined)?.hard ?? {}
  const plural = resource.split('.')[0] ?? resource
  const { name } = quota.metadata
  const missing = resource === 'pods' ? unstated(object, hard) : []
  if (missing.length > 0) throw refuse(plural, object, `failed quota: ${name}: must specify ${missing.join('; ')}`)
  const used = usageIn(store, quota)
  const exceeded = Object.keys(hard).filter(
    (key) => (wanted[key] ?? 0) > 0 && (used[key] ?? 0) + (wanted[key] ?? 0) > parseQuantity(hard[key] ?? 0) + 1e-9,
  )
  if (exceeded.length === 0) return
  const list = (of: (key: string) => string) => exceeded.map((key) => `${key}=${of(key)}`).join(',')
  const amounts = [
    `requested: ${list((key) => shown(key, wanted[key] ?? 0))}`,
    `used: ${list((key) => shown(key, used[key] ?? 0))}`,
    `limited: ${list((key) => String(hard[key] ?? 0))}`,
  ]
  throw refuse(plural, object, `exceeded quota: ${name}, ${amounts.join(', ')}`)
}

/** Compute resources that the quota counts and a container does not state. */
function unstated({ spec }: K8sObject, hard: Quantities): string[] {
  const { containers = [] } = (spec ?? {}) as { containers?: Container[] }
  return Object.keys(hard)
    .sort()
    .flatMap((key) => {
      const counted = COMPUTE[key]
      if (!counted) return []
      const [side, name] = counted
      const silent = containers.filter(({ resources }) => resources?.[side]?.[name] === undefined)
      return silent.length > 0 ? [`${key} for: ${silent.map((container) => container.name).join(',')}`] : []
    })
}

const COMPUTE: Readonly<Record<string, readonly ['requests' | 'limits', string]>> = {
  cpu: ['requests', 'cpu'],
  memory: ['requests', 'memory'],
  'requests.cpu': ['requests', 'cpu'],
  'requests.memory': ['requests', 'memory'],
  'limits.cpu': ['limits', 'cpu'],
  'limits.memory': ['limits', 'memory'],
}

/** What one object takes of each thing that a quota can count. */
function usageOf(resource: ResourceKey, object: K8sObject): Usage {
  const counted: Record<string, number> = { [`count/${resource}`]: 1, [resource]: 1 }
  if (resource === 'pods') return { ...counted, ...podUsage(object) }
  if (resource !== 'persistentvolumeclaims') return counted
  const { resources } = (object.spec ?? {}) as { resources?: { requests?: Quantities } }
  return { ...counted, 'requests.storage': parseQuantity(resources?.requests?.storage ?? 0) }
}

function podUsage({ spec, status }: K8sObject): Usage {
  const { phase } = (status ?? {}) as { phase?: string }
  if (phase === 'Succeeded' || phase === 'Failed') return { pods: 0 }
  const { containers = [] } = (spec ?? {}) as { containers?: Container[] }
  return Object.fromEntries(
    Object.entries(COMPUTE).map(([key, [side, name]]) => [
      key,
      containers.reduce((sum, { resources }) => sum + parseQuantity(resources?.[side]?.[name] ?? 0), 0),
    ]),
  )
}

/** What the objects of a quota's namespace take now, of what it limits. */
export function usageIn(store: ObjectStore, { metadata, spec }: ResourceQuota): Usage {
  const used: Record<string, number> = {}
  const keys = Object.keys((spec as typeof spec | undefined)?.hard ?? {})
  for (const { key, namespaced } of RESOURCES) {
    if (!namespaced || key === 'events') continue
    for (const object of store.list(key, metadata.namespace)) {
      const usage = usageOf(key, object)
      for (const name of keys) used[name] = (used[name] ?? 0) + (usage[name] ?? 0)
    }
  }
  return used
}

/** An amount as a quota writes it. */
export function shown(key: string, amount: number): string {
  if (!/memory|storage/.test(key)) return canonicalQuantity(Number(amount.toFixed(9)))
  const unit = [30, 20, 10].find((power) => amount > 0 && amount % 2 ** power === 0)
  return unit === undefined ? String(amount) : `${amount / 2 ** unit}${{ 30: 'Gi', 20: 'Mi', 10: 'Ki' }[unit] ?? ''}`
}
