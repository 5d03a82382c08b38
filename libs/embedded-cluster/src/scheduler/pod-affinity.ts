import { matchesSelector } from '../schema/selectors.js'
import { type ObjectStore } from '../store/store.js'
import { type Pod, type PodAffinity, type PodAffinityTerm } from '../controllers/objects.js'
import { type NodeLoad } from './node-load.js'
import { never, unless, type Filter, type Scene } from './scene.js'

/** How many pods there are in a domain, by `topology key|value`. */
type DomainCounts = ReadonlyMap<string, number>

interface Counts {
  /** Pods that all required affinity terms of the incoming pod want, in the domains of each term. */
  readonly wanted: DomainCounts
  /** Pods that its required anti-affinity keeps away from. */
  readonly unwanted: DomainCounts
  /** Pods that keep away from it. */
  readonly unwelcome: DomainCounts
}

/** The node is where pods are that the pod must be with, and where none is that it, or that, keeps away from. */
export const podAffinity: Filter = (scene, load) => {
  const { pod } = scene
  const counts = scene.once('pod affinity', () => count(scene))
  if (!isWithWanted(pod, load, scene, counts)) return never("node(s) didn't match pod affinity rules")
  const anti = required(pod.spec.affinity?.podAntiAffinity)
  if (anti.some((term) => (counts.unwanted.get(domainOf(term, load) ?? '') ?? 0) > 0)) {
    return unless("node(s) didn't match pod anti-affinity rules")
  }
  const labels = Object.entries(load.node.metadata.labels ?? {})
  const unwelcome = counts.unwelcome.size > 0 && labels.some(([key, value]) => counts.unwelcome.has(`${key}|${value}`))
  return unwelcome ? unless("node(s) didn't satisfy existing pods anti-affinity rules") : null
}

const required = (affinity: PodAffinity | undefined): readonly PodAffinityTerm[] =>
  affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
const preferred = (affinity: PodAffinity | undefined) => affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []

function domainOf({ topologyKey }: PodAffinityTerm, { node }: NodeLoad): string | undefined {
  const value = node.metadata.labels?.[topologyKey]
  return value === undefined ? undefined : `${topologyKey}|${value}`
}

function isWithWanted(pod: Pod, load: NodeLoad, { store }: Scene, { wanted }: Counts): boolean {
  const terms = required(pod.spec.affinity?.podAffinity)
  const domains = terms.map((term) => domainOf(term, load))
  if (domains.includes(undefined)) return false
  if (domains.every((domain) => (wanted.get(domain ?? '') ?? 0) > 0)) return true
  // The first pod of a group that wants its own kind may be anywhere.
  return wanted.size === 0 && terms.every((term) => fits(store, term, pod, pod))
}

function count({ store, pod, loads }: Scene): Counts {
  const wanted = new Map<string, number>()
  const unwanted = new Map<string, number>()
  const unwelcome = new Map<string, number>()
  const affinity = required(pod.spec.affinity?.podAffinity)
  const anti = required(pod.spec.affinity?.podAntiAffinity)
  for (const load of loads) {
    const others = affinity.length + anti.length > 0 ? load.pods.values() : []
    for (const other of others) {
      if (affinity.length > 0 && affinity.every((term) => fits(store, term, pod, other))) add(wanted, affinity, load)
      add(
        unwanted,
        anti.filter((term) => fits(store, term, pod, other)),
        load,
      )
    }
    for (const other of load.choosy.values()) {
      const terms = required(other.spec.affinity?.podAntiAffinity).filter((term) => fits(store, term, other, pod))
      add(unwelcome, terms, load)
    }
  }
  return { wanted, unwanted, unwelcome }
}

function add(counts: Map<string, number>, terms: readonly PodAffinityTerm[], load: NodeLoad): void {
  for (const term of terms) {
    const domain = domainOf(term, load)
    if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  }
}

/** Whether a term of `owner` means the pod `other`. */
function fits(store: ObjectStore, term: PodAffinityTerm, owner: Pod, other: Pod): boolean {
  const namespace = other.metadata.namespace ?? ''
  if (!matchesSelector(term.labelSelector, other.metadata.labels)) return false
  const { namespaces = [], namespaceSelector } = term
  if (namespaces.length === 0 && !namespaceSelector) return namespace === owner.metadata.namespace
  if (namespaces.includes(namespace)) return true
  const labels = store.get('namespaces', null, namespace)?.metadata.labels
  return namespaceSelector !== undefined && matchesSelector(namespaceSelector, labels ?? {})
}

/** A weight on the domain of a term. */
interface Pull {
  readonly term: PodAffinityTerm
  readonly weight: number
  readonly load: NodeLoad
}

/** Raw scores by node: the weights of preferences, of the pod itself and of those that are there, that a node meets. */
export function podPreferences(scene: Scene, fitting: readonly NodeLoad[]): number[] {
  const pulls = new Map<string, number>()
  for (const { term, weight, load } of pullsOf(scene)) {
    const domain = domainOf(term, load)
    if (domain !== undefined) pulls.set(domain, (pulls.get(domain) ?? 0) + weight)
  }
  if (pulls.size === 0) return fitting.map(() => 0)
  return fitting.map(({ node }) =>
    Object.entries(node.metadata.labels ?? {}).reduce(
      (sum, [key, value]) => sum + (pulls.get(`${key}|${value}`) ?? 0),
      0,
    ),
  )
}

function pullsOf({ store, pod, loads }: Scene): Pull[] {
  const own = weighted(pod)
  return loads.flatMap((load) => [
    ...(own.length > 0 ? [...load.pods.values()] : []).flatMap((other) =>
      own.filter(({ term }) => fits(store, term, pod, other)).map((pull) => ({ ...pull, load })),
    ),
    ...[...load.choosy.values()].flatMap((other) =>
      [...required(other.spec.affinity?.podAffinity).map((term) => ({ term, weight: 1 })), ...weighted(other)]
        .filter(({ term }) => fits(store, term, other, pod))
        .map((pull) => ({ ...pull, load })),
    ),
  ])
}

function weighted({ spec }: Pod): Pick<Pull, 'term' | 'weight'>[] {
  const towards = preferred(spec.affinity?.podAffinity)
  const away = preferred(spec.affinity?.podAntiAffinity)
  return [
    ...towards.map(({ weight, podAffinityTerm: term }) => ({ term, weight })),
    ...away.map(({ weight, podAffinityTerm: term }) => ({ term, weight: -weight })),
  ]
}
