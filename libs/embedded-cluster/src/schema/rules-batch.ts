import type { StatusCause } from '../store/api-error.js'
import { sameJson, type K8sObject, type StoredObject } from '../store/object.js'
import { check, invalidValue, notNegative, required, unsupported } from './causes.js'
import { cronProblem } from './cron.js'
import { labelCauses } from './rules-metadata.js'
import { podSpecCauses, type PodSpec } from './rules-pod.js'

interface JobSpec {
  parallelism?: number
  completions?: number
  backoffLimit?: number
  activeDeadlineSeconds?: number
  ttlSecondsAfterFinished?: number
  selector?: unknown
  template?: { metadata?: { labels?: Record<string, string> }; spec?: PodSpec }
}

const COUNTS = [
  ...(['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit'] as const),
  'ttlSecondsAfterFinished' as const,
]

export function jobCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  if (object.spec === undefined) return [required('spec.template')]
  const spec = object.spec as JobSpec
  return [...jobSpecCauses(spec, 'spec'), ...(old ? jobChange(spec, old.spec as JobSpec) : [])]
}

function jobSpecCauses(spec: JobSpec, path: string): StatusCause[] {
  const { metadata, spec: pod } = spec.template ?? {}
  return [
    ...COUNTS.flatMap((field) => notNegative(`${path}.${field}`, spec[field])),
    ...labelCauses(`${path}.template.metadata.labels`, metadata?.labels ?? {}),
    ...(pod ? podSpecCauses(pod, `${path}.template.spec`) : [required(`${path}.template.spec.containers`)]),
    ...(pod ? policyCauses(pod, `${path}.template.spec.restartPolicy`) : []),
  ]
}

function policyCauses({ restartPolicy }: PodSpec, path: string): StatusCause[] {
  if (restartPolicy === 'OnFailure' || restartPolicy === 'Never') return []
  return [{ ...unsupported(path, restartPolicy, ['OnFailure', 'Never']), reason: 'FieldValueRequired', message: MUST }]
}
const MUST = 'Required value: valid values: "OnFailure", "Never"'

const FIXED = ['completions', 'selector', 'template'] as const

function jobChange(spec: JobSpec, old: JobSpec): StatusCause[] {
  return FIXED.flatMap((field) =>
    sameJson(spec[field], old[field]) ? [] : [invalidValue(`spec.${field}`, spec[field], 'field is immutable')],
  )
}

interface CronSpec {
  schedule?: string
  concurrencyPolicy?: string
  startingDeadlineSeconds?: number
  jobTemplate?: { spec?: JobSpec }
}

const CONCURRENCY = ['Allow', 'Forbid', 'Replace']

export function cronJobCauses(object: K8sObject): StatusCause[] {
  if (object.spec === undefined) return [required('spec.schedule'), required('spec.jobTemplate')]
  const { schedule = '', concurrencyPolicy, startingDeadlineSeconds, jobTemplate } = object.spec as CronSpec
  const { name = '' } = object.metadata
  return [
    ...(name.length > 52 ? [invalidValue('metadata.name', name, 'must be no more than 52 characters')] : []),
    ...(schedule === '' ? [required('spec.schedule')] : check('spec.schedule', schedule, cronProblem(schedule))),
    ...(CONCURRENCY.includes(concurrencyPolicy ?? '')
      ? []
      : [unsupported('spec.concurrencyPolicy', concurrencyPolicy, CONCURRENCY)]),
    ...notNegative('spec.startingDeadlineSeconds', startingDeadlineSeconds),
    ...(jobTemplate?.spec
      ? jobSpecCauses(jobTemplate.spec, 'spec.jobTemplate.spec')
      : [required('spec.jobTemplate.spec')]),
  ]
}
