import { matchesSelector } from '../schema/selectors.js'
import { type RandomStream } from '../kernel/random.js'
import { type ObjectStore } from '../store/store.js'
import { type Pod } from '../controllers/objects.js'
import { type PodSelector, type TargetRule } from './status.js'

/** Thrown when a selector finds nothing; the message is Chaos Mesh's. */
export class SelectionError extends Error {}

/** The pods that a rule resolves to now. Throws SelectionError when there is none. */
export function selectPods(store: ObjectStore, random: RandomStream, rule: TargetRule, ownNamespace: string): Pod[] {
  const candidates = candidatesOf(store, rule.selector, ownNamespace)
  if (candidates.length === 0) throw new SelectionError('no pod is selected')
  const chosen = sample(random, candidates, countOf(rule, candidates.length, random))
  if (chosen.length === 0) throw new SelectionError('no target has been selected')
  return chosen
}

function candidatesOf(store: ObjectStore, selector: PodSelector, ownNamespace: string): Pod[] {
  const named = Object.entries(selector.pods ?? {})
  if (named.length > 0) {
    return named.flatMap(([namespace, names]) => names.flatMap((name) => store.get<Pod>('pods', namespace, name) ?? []))
  }
  const { namespaces, labelSelectors, expressionSelectors } = selector
  const labels = { matchLabels: labelSelectors, matchExpressions: expressionSelectors }
  const nodes = nodesOf(store, selector)
  const within = namespaces?.length ? namespaces : [ownNamespace]
  return within
    .flatMap((namespace) => store.list<Pod>('pods', namespace))
    .filter((pod) => matchesSelector(labels, pod.metadata.labels) && fits(selector, pod, nodes))
}

/** What a selector asks for beside labels. */
function fits(selector: PodSelector, pod: Pod, nodes: ReadonlySet<string> | null): boolean {
  const { podPhaseSelectors, annotationSelectors, fieldSelectors } = selector
  const { metadata, spec } = pod
  if (!isInPhase(pod, podPhaseSelectors)) return false
  if (nodes && !nodes.has(spec.nodeName ?? '')) return false
  if (!matchesSelector({ matchLabels: annotationSelectors }, metadata.annotations)) return false
  return Object.entries(fieldSelectors ?? {}).every(([field, value]) => FIELDS[field]?.(pod) === value)
}

const isInPhase = ({ status }: Pod, phases: readonly string[] = []): boolean =>
  phases.length === 0 || phases.includes(status?.phase ?? '')

/** The fields of a pod that can be selected by. */
const FIELDS: Readonly<Record<string, (pod: Pod) => string | undefined>> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace,
  'spec.nodeName': ({ spec }) => spec.nodeName,
  'spec.restartPolicy': ({ spec }) => spec.restartPolicy,
  'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName,
  'status.phase': ({ status }) => status?.phase,
  'status.podIP': ({ status }) => status?.podIP,
}

/** The nodes that a selector names, by name or label; null when it names none. */
function nodesOf(store: ObjectStore, { nodes, nodeSelectors }: PodSelector): ReadonlySet<string> | null {
  if (!nodes?.length && !nodeSelectors) return null
  const labelled = nodeSelectors
    ? store.list('nodes').filter(({ metadata }) => matchesSelector({ matchLabels: nodeSelectors }, metadata.labels))
    : []
  return new Set([...(nodes ?? []), ...labelled.map(({ metadata }) => metadata.name)])
}

function countOf({ mode, value = '' }: TargetRule, total: number, random: RandomStream): number {
  switch (mode) {
    case 'one':
      return 1
    case 'all':
      return total
    case 'fixed':
      return Math.min(Number(value), total)
    case 'fixed-percent':
      return Math.floor((total * Number(value)) / 100)
    case 'random-max-percent':
      return Math.floor((total * random.below(Number(value) + 1)) / 100)
  }
}

function sample(random: RandomStream, pods: readonly Pod[], count: number): Pod[] {
  const left = [...pods]
  if (count >= left.length) return left
  return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)).flat()
}
