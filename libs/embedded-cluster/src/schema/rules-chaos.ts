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
  const needsNames = spec.action === 'container-kill' && !spec.containerNames?.length
  return [
    ...commonCauses(spec, 'spec'),
    ...(needsNames
      ? [invalidValue('spec.containerNames', null, 'the name of container is required on container-kill action')]
      : []),
    ...(old ? immutable('spec', object.spec, old.spec) : []),
  ]
}

export function networkChaosCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  const spec = object.spec as ChaosSpec
  return [
    ...commonCauses(spec, 'spec'),
    ...targetCauses(spec),
    ...parameterCauses(spec),
    ...(old ? immutable('spec', object.spec, old.spec) : []),
  ]
}

function targetCauses({ action, direction = 'to', target }: ChaosSpec): StatusCause[] {
  if (target) return modeCauses(target, 'spec.target')
  if (direction === 'to' || action === 'partition') return []
  const why = '`from` and `both` direction cannot be used when targets is empty in netem action'
  return [invalidValue('spec.direction', direction, why)]
}

function parameterCauses({ action, delay, loss }: ChaosSpec): StatusCause[] {
  const missing = (action === 'delay' && !delay) || (action === 'loss' && !loss)
  const shares = {
    'loss.loss': loss?.loss,
    'loss.correlation': loss?.correlation,
    'delay.correlation': delay?.correlation,
  }
  return [
    ...(missing ? [required(`spec.${action}`)] : []),
    ...Object.entries(shares).flatMap(([field, value]) => check(`spec.${field}`, value, percentProblem(value))),
  ]
}

function commonCauses(spec: ChaosSpec, path: string): StatusCause[] {
  return [...modeCauses(spec, path), ...check(`${path}.duration`, spec.duration, durationProblem(spec.duration))]
}

const WITHIN_ALL = 'must be greater than 0 and at most 100 with mode:'
/** Modes that need a number, and which ones they take. */
const MODES = new Map<string, { fits: (value: number) => boolean; problem: string }>([
  [
    'fixed',
    { fits: (value) => Number.isInteger(value) && value > 0, problem: 'must be greater than 0 with mode:fixed' },
  ],
  ['fixed-percent', { fits: isShare, problem: `${WITHIN_ALL}fixed-percent` }],
  ['random-max-percent', { fits: isShare, problem: `${WITHIN_ALL}random-max-percent` }],
])

function isShare(value: number): boolean {
  return value > 0 && value <= 100
}

function modeCauses({ mode, value }: { mode: string; value?: string }, path: string): StatusCause[] {
  const rule = MODES.get(mode)
  if (!rule || rule.fits(Number(value || Number.NaN))) return []
  return [invalidValue(`${path}.value`, value ?? null, rule.problem)]
}

function durationProblem(duration: string | undefined): string | null {
  return duration === undefined || DURATION.test(duration) ? null : 'not a duration such as 500ms, 30s or 1m30s'
}

function percentProblem(value: string | undefined): string | null {
  if (value === undefined) return null
  const number = Number(value)
  return value !== '' && number >= 0 && number <= 100 ? null : 'must be a percentage between 0 and 100'
}
