import { parseQuantity } from '../schema/quantity.js'
import { type Container, type Quantities } from '../controllers/objects.js'
import { qosClass } from '../schema/qos.js'
import { type K8sObject, type StoredObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { type Admission } from './admit.js'
import { refuse } from './refuse.js'
import { shown } from './resource-quota.js'

interface Limit {
  type: string
  default?: Quantities
  defaultRequest?: Quantities
  min?: Quantities
  max?: Quantities
  maxLimitRequestRatio?: Quantities
}
interface LimitRange extends StoredObject {
  spec: { limits: Limit[] }
}
interface Spec {
  containers?: Container[]
  initContainers?: Container[]
  resources?: Resources
}
type Resources = { requests?: Quantities; limits?: Quantities }

function limitsOf(store: ObjectStore, { metadata }: K8sObject): Limit[] {
  return store.list<LimitRange>('limitranges', metadata.namespace).flatMap(({ spec }) => spec.limits)
}

/** Containers that state no requests or limits get those of the namespace. */
export const withLimitDefaults: Admission = (store, pod) => {
  const defaults = limitsOf(store, pod).filter(({ type }) => type === 'Container')
  if (defaults.length === 0) return pod
  const spec = pod.spec as Spec
  const fill = (container: Container) => defaults.reduce(withDefault, container)
  const filled = {
    ...spec,
    containers: spec.containers?.map(fill),
    ...(spec.initContainers ? { initContainers: spec.initContainers.map(fill) } : {}),
  }
  return { ...pod, spec: filled, status: { phase: 'Pending', ...(pod.status as object), qosClass: qosClass(filled) } }
}

function withDefault(container: Container, limit: Limit): Container {
  const { requests, limits } = container.resources ?? {}
  const resources = {
    limits: { ...limit.default, ...limits },
    requests: { ...limit.defaultRequest, ...requests },
  }
  return { ...container, resources: { ...container.resources, ...resources } }
}

/** Every container, the pod as a whole, or the claim keeps within the limits of its namespace. */
export const checkLimits: Admission = (store, object) => {
  const limits = limitsOf(store, object)
  if (limits.length === 0) return object
  const problems = limits.flatMap((limit) => partsOf(object, limit).flatMap((part) => problemsOf(limit, part)))
  if (problems.length === 0) return object
  const plural = object.kind === 'Pod' ? 'pods' : 'persistentvolumeclaims'
  throw refuse(plural, object, problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`)
}

/** What of the object a limit is about. */
function partsOf({ kind, spec }: K8sObject, { type }: Limit): Resources[] {
  const { containers = [], initContainers = [], resources } = (spec ?? {}) as Spec
  if (kind !== 'Pod') return type === 'PersistentVolumeClaim' ? [{ requests: resources?.requests }] : []
  if (type === 'Container') return [...containers, ...initContainers].map((container) => container.resources ?? {})
  return type === 'Pod' ? [sumOf(containers)] : []
}

function sumOf(containers: readonly Container[]): Resources {
  const side = (name: 'requests' | 'limits') => {
    const sum: Record<string, number> = {}
    for (const { resources } of containers) {
      for (const [key, amount] of Object.entries(resources?.[name] ?? {}))
        sum[key] = (sum[key] ?? 0) + parseQuantity(amount)
    }
    return sum
  }
  return { requests: side('requests'), limits: side('limits') }
}

function problemsOf(limit: Limit, part: Resources): string[] {
  return [...minProblems(limit, part), ...maxProblems(limit, part), ...ratioProblems(limit, part)]
}

function ratioProblems(
  { type, maxLimitRequestRatio = {} }: Limit,
  { requests = {}, limits = {} }: Resources,
): string[] {
  return Object.entries(maxLimitRequestRatio).flatMap(([name, most]) => {
    const rule = `${name} max limit to request ratio per ${type} is ${most}`
    const [request, limit] = [parseQuantity(requests[name] ?? 0), parseQuantity(limits[name] ?? 0)]
    if (request === 0) return [`${rule}, but no request is specified or request is 0`]
    if (limit === 0) return [`${rule}, but no limit is specified or limit is 0`]
    return limit / request > parseQuantity(most)
      ? [`${rule}, but provided ratio is ${(limit / request).toFixed(6)}`]
      : []
  })
}

/** A sum of quantities, as a quantity. */
const inWords = (name: string, amount: string | number): string =>
  typeof amount === 'number' ? shown(name, amount) : amount

function minProblems({ type, min = {} }: Limit, { requests = {} }: Resources): string[] {
  return Object.entries(min).flatMap(([name, least]) => {
    const amount = requests[name]
    const rule = `minimum ${name} usage per ${type} is ${least}`
    if (amount === undefined) return [`${rule}.  No request is specified`]
    return parseQuantity(amount) < parseQuantity(least) ? [`${rule}, but request is ${inWords(name, amount)}`] : []
  })
}

function maxProblems({ type, max = {} }: Limit, { requests = {}, limits = {} }: Resources): string[] {
  const claim = type === 'PersistentVolumeClaim'
  return Object.entries(max).flatMap(([name, most]) => {
    const amount = claim ? requests[name] : limits[name]
    const rule = `maximum ${name} usage per ${type} is ${most}`
    const what = claim ? 'request' : 'limit'
    if (amount === undefined) return [`${rule}.  No ${what} is specified`]
    return parseQuantity(amount) > parseQuantity(most) ? [`${rule}, but ${what} is ${inWords(name, amount)}`] : []
  })
}
