import { type StoredObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { type Admission } from './admit.js'
import { refuse } from './refuse.js'

interface PriorityClass extends StoredObject {
  value: number
  globalDefault?: boolean
  preemptionPolicy?: string
}

/** Classes that every cluster has. */
const SYSTEM: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
}

/** A pod's class becomes its number. */
export const withPriority: Admission = (store, pod) => {
  const spec = pod.spec as { priorityClassName?: string; preemptionPolicy?: string }
  const named = spec.priorityClassName
  const found = named ? classNamed(store, named) : globalDefault(store)
  if (!found) {
    if (named) throw refuse('pods', pod, `no PriorityClass with name ${named} was found`)
    return pod
  }
  const { name, value, preemptionPolicy = 'PreemptLowerPriority' } = found
  return { ...pod, spec: { ...spec, priorityClassName: name, priority: value, preemptionPolicy } }
}

interface Found {
  readonly name: string
  readonly value: number
  readonly preemptionPolicy?: string
}

function classNamed(store: ObjectStore, name: string): Found | null {
  const found = store.get<PriorityClass>('priorityclasses.scheduling.k8s.io', null, name)
  if (found) return { name, value: found.value, preemptionPolicy: found.preemptionPolicy }
  const value = SYSTEM[name]
  return value === undefined ? null : { name, value }
}

function globalDefault(store: ObjectStore): Found | null {
  const classes = store.list<PriorityClass>('priorityclasses.scheduling.k8s.io').filter((one) => one.globalDefault)
  const [found] = classes.sort((a, b) => a.value - b.value)
  return found ? { name: found.metadata.name, value: found.value, preemptionPolicy: found.preemptionPolicy } : null
}
