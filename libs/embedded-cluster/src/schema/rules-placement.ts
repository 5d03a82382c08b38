import type { StatusCause } from '../store/api-error.js'
import { forbidden, invalidValue, required, unsupported } from './causes.js'
import { labelCauses } from './rules-metadata.js'

interface Expression {
  key: string
  operator: string
  values?: string[]
}
interface Term {
  matchExpressions?: Expression[]
  matchFields?: Expression[]
}
interface PodTerm {
  topologyKey?: string
  labelSelector?: { matchLabels?: Record<string, string> }
}
interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: Term[] }
    preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: Term }[]
  }
  podAffinity?: PodAffinity
  podAntiAffinity?: PodAffinity
}
interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodTerm[]
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodTerm }[]
}
interface Toleration {
  key?: string
  operator?: string
  value?: string
  effect?: string
  tolerationSeconds?: number
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'
const NODE_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** What is wrong with where a pod may run; `path` is that of its spec. */
export function placementCauses(spec: Readonly<Record<string, unknown>>, path: string): StatusCause[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = (spec.affinity ?? {}) as Affinity
  return [
    ...nodeCauses(nodeAffinity, `${path}.affinity.nodeAffinity`),
    ...podTermCauses(podAffinity, `${path}.affinity.podAffinity`),
    ...podTermCauses(podAntiAffinity, `${path}.affinity.podAntiAffinity`),
  ]
}

function nodeCauses(affinity: Affinity['nodeAffinity'], path: string): StatusCause[] {
  if (!affinity) return []
  const terms = affinity[REQUIRED]?.nodeSelectorTerms
  const at = `${path}.${REQUIRED}.nodeSelectorTerms`
  return [
    ...(terms?.length === 0 ? [required(at, 'must have at least one node selector term')] : []),
    ...(terms ?? []).flatMap((term, i) => termCauses(term, `${at}[${i}]`)),
    ...(affinity[PREFERRED] ?? []).flatMap(({ weight, preference }, i) => [
      ...weightCauses(weight, `${path}.${PREFERRED}[${i}]`),
      ...termCauses(preference, `${path}.${PREFERRED}[${i}].preference`),
    ]),
  ]
}

function termCauses({ matchExpressions = [] }: Term, path: string): StatusCause[] {
  return matchExpressions.flatMap(({ operator, values = [] }, i) => {
    const at = `${path}.matchExpressions[${i}]`
    if (!NODE_OPERATORS.includes(operator))
      return [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')]
    return valueCauses(operator, values, at)
  })
}

function valueCauses(operator: string, values: readonly string[], at: string): StatusCause[] {
  if (operator === 'In' || operator === 'NotIn') {
    return values.length > 0 ? [] : [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
  }
  if (operator === 'Gt' || operator === 'Lt') {
    return values.length === 1
      ? []
      : [required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")]
  }
  if (values.length === 0) return []
  return [forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
}

function podTermCauses(affinity: PodAffinity | undefined, path: string): StatusCause[] {
  return [
    ...(affinity?.[REQUIRED] ?? []).flatMap((term, i) => podTerm(term, `${path}.${REQUIRED}[${i}]`)),
    ...(affinity?.[PREFERRED] ?? []).flatMap(({ weight, podAffinityTerm }, i) => [
      ...weightCauses(weight, `${path}.${PREFERRED}[${i}]`),
      ...podTerm(podAffinityTerm, `${path}.${PREFERRED}[${i}].podAffinityTerm`),
    ]),
  ]
}

function podTerm({ topologyKey, labelSelector }: PodTerm, path: string): StatusCause[] {
  return [
    ...(topologyKey ? [] : [required(`${path}.topologyKey`, 'can not be empty')]),
    ...labelCauses(`${path}.labelSelector.matchLabels`, labelSelector?.matchLabels ?? {}),
  ]
}

function weightCauses(weight: number, path: string): StatusCause[] {
  return weight >= 1 && weight <= 100 ? [] : [invalidValue(`${path}.weight`, weight, 'must be in the range 1-100')]
}

/** What is wrong with the taints that a pod tolerates. */
export function tolerationCauses(spec: Readonly<Record<string, unknown>>, path: string): StatusCause[] {
  return ((spec.tolerations ?? []) as Toleration[]).flatMap((toleration, i) =>
    tolerationProblems(toleration, `${path}.tolerations[${i}]`),
  )
}

function tolerationProblems({ key, operator = 'Equal', value, effect, tolerationSeconds }: Toleration, at: string) {
  const all = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
  const bare = "value must be empty when `operator` is 'Exists'"
  const timed = "effect must be 'NoExecute' when `tolerationSeconds` is set"
  const problems: readonly [boolean, StatusCause][] = [
    [!key && operator !== 'Exists', invalidValue(`${at}.operator`, operator, all)],
    [tolerationSeconds !== undefined && effect !== 'NoExecute', invalidValue(`${at}.effect`, effect ?? '', timed)],
    [operator === 'Exists' && Boolean(value), invalidValue(`${at}.operator`, value, bare)],
    [!['Exists', 'Equal'].includes(operator), unsupported(`${at}.operator`, operator, ['Equal', 'Exists'])],
    [Boolean(effect) && !EFFECTS.includes(effect ?? ''), unsupported(`${at}.effect`, effect, EFFECTS)],
  ]
  return problems.flatMap(([wrong, cause]) => (wrong ? [cause] : []))
}
