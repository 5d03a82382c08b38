import type { StatusCause } from '../store/api-error.js'
import type { K8sObject, StoredObject } from '../store/object.js'
import { check, forbidden, immutable, invalidValue, notNegative, required, unsupported } from './causes.js'
import { labelCauses } from './rules-metadata.js'
import { podSpecCauses, type PodSpec } from './rules-pod.js'
import { matchesSelector, type LabelSelector } from './selectors.js'

export interface WorkloadSpec {
  replicas?: number
  minReadySeconds?: number
  revisionHistoryLimit?: number
  progressDeadlineSeconds?: number
  selector: LabelSelector
  template: { metadata?: { labels?: Record<string, string> }; spec?: PodSpec }
  strategy?: { type?: string; rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string } }
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist']

export function replicaSetCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  if (object.spec === undefined) return [required('spec')]
  const spec = object.spec as WorkloadSpec
  if (spec.template === undefined) return [required('spec.template')]
  return [...commonCauses(spec), ...selectorChange(spec, old)]
}

export function deploymentCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  if (object.spec === undefined) return [required('spec.selector'), required('spec.template')]
  const spec = object.spec as WorkloadSpec
  return [
    ...commonCauses(spec),
    ...strategyCauses(spec),
    ...notNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...notNegative('spec.progressDeadlineSeconds', spec.progressDeadlineSeconds),
    ...deadlineCauses(spec),
    ...selectorChange(spec, old),
  ]
}

export function budgetCauses(object: K8sObject): StatusCause[] {
  const { minAvailable, maxUnavailable, selector } = (object.spec ?? {}) as Record<string, number | string> & {
    selector?: LabelSelector
  }
  const both = minAvailable !== undefined && maxUnavailable !== undefined
  return [
    ...(both ? [invalidValue('spec', object.spec, 'minAvailable and maxUnavailable cannot be both set')] : []),
    ...check('spec.minAvailable', minAvailable, shareProblem(minAvailable)),
    ...check('spec.maxUnavailable', maxUnavailable, shareProblem(maxUnavailable)),
    ...(selector ? selectorCauses(selector, 'spec.selector') : []),
  ]
}

/** What is wrong with a `metav1.LabelSelector`. */
function selectorCauses(selector: LabelSelector, path: string): StatusCause[] {
  const expressions = (selector.matchExpressions ?? []).flatMap(({ operator, values }, i) => {
    const at = `${path}.matchExpressions[${i}]`
    const wants = operator === 'In' || operator === 'NotIn'
    if (!OPERATORS.includes(operator))
      return [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')]
    if (wants && !values?.length)
      return [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
    if (wants || !values?.length) return []
    return [forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
  })
  return [...labelCauses(`${path}.matchLabels`, selector.matchLabels ?? {}), ...expressions]
}

/** What is wrong with replicas, selector and template; `kind` as messages name it. */
export function commonCauses(spec: WorkloadSpec, kind = 'deployment'): StatusCause[] {
  return [
    ...replicaCauses(spec.replicas),
    ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...ownSelectorCauses(spec, kind),
    ...templateCauses(spec.template),
  ]
}

/** Each replica is an object in memory; the three nodes take a few hundred. */
const MAX_REPLICAS = 5_000

function replicaCauses(replicas = 0): StatusCause[] {
  if (replicas <= MAX_REPLICAS) return notNegative('spec.replicas', replicas)
  return [invalidValue('spec.replicas', replicas, `the embedded cluster takes at most ${MAX_REPLICAS}`)]
}

function ownSelectorCauses({ selector, template }: WorkloadSpec, kind: string): StatusCause[] {
  const empty = !Object.keys(selector.matchLabels ?? {}).length && !selector.matchExpressions?.length
  if (empty) return [invalidValue('spec.selector', selector, `empty selector is invalid for ${kind}`)]
  const labels = template.metadata?.labels
  const misses = !matchesSelector(selector, labels)
  const why = '`selector` does not match template `labels`'
  return [
    ...selectorCauses(selector, 'spec.selector'),
    ...(misses ? [invalidValue('spec.template.metadata.labels', labels ?? null, why)] : []),
  ]
}

function templateCauses({ metadata, spec }: WorkloadSpec['template']): StatusCause[] {
  const labels = labelCauses('spec.template.metadata.labels', metadata?.labels ?? {})
  if (!spec) return [...labels, required('spec.template.spec.containers')]
  const { restartPolicy = 'Always' } = spec
  const policy = unsupported('spec.template.spec.restartPolicy', restartPolicy, ['Always'])
  return [...labels, ...podSpecCauses(spec, 'spec.template.spec'), ...(restartPolicy === 'Always' ? [] : [policy])]
}

function strategyCauses({ strategy }: WorkloadSpec): StatusCause[] {
  const { type, rollingUpdate } = strategy ?? {}
  if (type === 'Recreate') {
    const why = "may not be specified when strategy `type` is 'Recreate'"
    return rollingUpdate ? [forbidden('spec.strategy.rollingUpdate', why)] : []
  }
  if (type !== 'RollingUpdate') return [unsupported('spec.strategy.type', type, ['Recreate', 'RollingUpdate'])]
  const at = 'spec.strategy.rollingUpdate'
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {}
  const stuck = Number.parseInt(String(maxUnavailable), 10) === 0 && Number.parseInt(String(maxSurge), 10) === 0
  return [
    ...check(`${at}.maxUnavailable`, maxUnavailable, shareProblem(maxUnavailable) ?? wholeProblem(maxUnavailable)),
    ...check(`${at}.maxSurge`, maxSurge, shareProblem(maxSurge)),
    ...(stuck ? [invalidValue(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
  ]
}

/** Why a value is neither a count nor a percentage, or null. */
export function shareProblem(value: number | string | undefined): string | null {
  if (typeof value === 'number') return value < 0 ? 'must be greater than or equal to 0' : null
  if (value === undefined || /^\d+%$/.test(value)) return null
  return (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for " +
    "validation is '[0-9]+%')"
  )
}

/** Why a share is more than everything, or null. */
function wholeProblem(value: number | string | undefined): string | null {
  return typeof value === 'string' && Number.parseInt(value, 10) > 100 ? 'must not be greater than 100%' : null
}

function deadlineCauses({ progressDeadlineSeconds, minReadySeconds }: WorkloadSpec): StatusCause[] {
  if (progressDeadlineSeconds === undefined || progressDeadlineSeconds > (minReadySeconds ?? 0)) return []
  return [invalidValue('spec.progressDeadlineSeconds', progressDeadlineSeconds, 'must be greater than minReadySeconds')]
}

export function selectorChange(spec: WorkloadSpec, old: StoredObject | undefined): StatusCause[] {
  return old ? immutable('spec.selector', spec.selector, (old.spec as WorkloadSpec).selector) : []
}
