import type { StatusCause } from '../store/api-error.js'
import type { K8sObject, StoredObject } from '../store/object.js'
import { check, immutable, invalidValue, required } from './causes.js'

interface ChaosSpec {
  action: string
  mode: string
  value?: string
  duration?: string
  selector: Record<string, unknown>
  containerNames?: string[]
  direction?: string
  target?: { mode: string; value?: string }
  delay?: { latency: string; jitter?: string; correlation?: string }
  loss?: { loss: string; correlation?: string }
}

const DURATION = /^\+?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$/

/** What Chaos Mesh's own webhook refuses. */
export function podChaosCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  const spec = object.spec as ChaosSpec
  const needsDuration = spec.action === 'pod-failure' && !spec.duration
  const needsNames = spec.action === 'container-kill' && !spec.containerNames?.length
  return [
    ...commonCauses(spec, 'spec'),
    ...(needsDuration ? [required('spec.duration', 'pod-failure needs a duration')] : []),
    ...(needsNames
      ? [invalidValue('spec.containerNames', null, 'the name of container is required on container-kill action')]
      : []),
    ...(old ? immutable('spec', object.spec, old.spec) : []),
  ]
}

export function networkChaosCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  const spec = object.spec as ChaosSpec
  const { direction = 'to', target, delay, loss, action } = spec
  return [
    ...commonCauses(spec, 'spec'),
    ...(direction === 'to' || target
      ? []
      : [invalidValue('spec.direction', direction, '`to` is needed without target')]),
    ...(target ? modeCauses(target, 'spec.target') : []),
    ...(action === 'delay' && !delay ? [required('spec.delay')] : []),
    ...(action === 'loss' && !loss ? [required('spec.loss')] : []),
    ...check('spec.loss.loss', loss?.loss, percentProblem(loss?.loss)),
    ...check('spec.loss.correlation', loss?.correlation, percentProblem(loss?.correlation)),
    ...check('spec.delay.correlation', delay?.correlation, percentProblem(delay?.correlation)),
    ...(old ? immutable('spec', object.spec, old.spec) : []),
  ]
}

function commonCauses(spec: ChaosSpec, path: string): StatusCause[] {
  return [...modeCauses(spec, path), ...check(`${path}.duration`, spec.duration, durationProblem(spec.duration))]
}

function modeCauses({ mode, value }: { mode: string; value?: string }, path: string): StatusCause[] {
  if (mode === 'one' || mode === 'all') return []
  const number = Number(value)
  const fits = value !== undefined && value !== '' && number > 0
  if (mode === 'fixed') {
    const ok = fits && Number.isInteger(number)
    return ok ? [] : [invalidValue(`${path}.value`, value ?? null, 'must be greater than 0 with mode:fixed')]
  }
  if (fits && number <= 100) return []
  return [invalidValue(`${path}.value`, value ?? null, `must be greater than 0 and at most 100 with mode:${mode}`)]
}

function durationProblem(duration: string | undefined): string | null {
  return duration === undefined || DURATION.test(duration) ? null : 'not a duration such as 500ms, 30s or 1m30s'
}

function percentProblem(value: string | undefined): string | null {
  if (value === undefined) return null
  const number = Number(value)
  return value !== '' && number >= 0 && number <= 100 ? null : 'must be a percentage between 0 and 100'
}
