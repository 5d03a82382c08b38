import type { StatusCause } from '../store/api-error.js'
import type { K8sObject, StoredObject } from '../store/object.js'
import { memorySize } from '../chaos/memory-size.js'
import { parseRate } from '../chaos/rate.js'
import { check, immutable, invalidValue, required } from './causes.js'

interface CommonSpec {
  mode: string
  value?: string
  duration?: string
}
interface ChaosSpec extends CommonSpec {
  action: string
  selector: Record<string, unknown>
  containerNames?: string[]
  direction?: string
  target?: { mode: string; value?: string }
  externalTargets?: string[]
  delay?: {
    latency: string
    jitter?: string
    correlation?: string
    reorder?: { reorder: string; correlation?: string }
  }
  loss?: { loss: string; correlation?: string }
  corrupt?: { corrupt: string; correlation?: string }
  duplicate?: { duplicate: string; correlation?: string }
  rate?: { rate: string }
  bandwidth?: { rate: string }
  stressors?: { cpu?: object; memory?: { workers: number; size?: string } }
  patterns?: string[]
}
interface HttpSpec extends CommonSpec {
  port?: number
  method?: string
  delay?: string
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
    ...externalCauses(spec),
    ...(old ? immutable('spec', object.spec, old.spec) : []),
  ]
}

export function stressChaosCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  const spec = object.spec as ChaosSpec
  const { cpu, memory } = spec.stressors ?? {}
  const sized = memory && memorySize(memory.size, 1) === null
  return [
    ...commonCauses(spec, 'spec'),
    ...((cpu ?? memory) ? [] : [invalidValue('spec.stressors', spec.stressors ?? null, 'missing stressors')]),
    ...(sized ? [invalidValue('spec.stressors.memory.size', memory.size ?? null, SIZE_PROBLEM)] : []),
    ...(old ? immutable('spec', object.spec, old.spec) : []),
  ]
}

const SIZE_PROBLEM = 'incorrect bytes format: the embedded cluster takes a size such as 256MB or 50%'

export function dnsChaosCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  const spec = object.spec as ChaosSpec
  const wild = (spec.patterns ?? []).flatMap((pattern, index) =>
    /\*./.test(pattern) ? [invalidValue(`spec.patterns[${index}]`, pattern, 'a * may stand at the end only')] : [],
  )
  return [...commonCauses(spec, 'spec'), ...wild, ...(old ? immutable('spec', object.spec, old.spec) : [])]
}

export function httpChaosCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  const spec = object.spec as HttpSpec
  const { port, method, delay } = spec
  return [
    ...commonCauses(spec, 'spec'),
    ...(port ? [] : [invalidValue('spec.port', port ?? 0, `port ${port ?? 0} is not supported`)]),
    ...(method && !METHODS.includes(method)
      ? [invalidValue('spec.method', method, `method ${method} is not supported`)]
      : []),
    ...check('spec.delay', delay, delay !== undefined && !DURATION.test(delay) ? `invalid duration ${delay}` : null),
    ...(old ? immutable('spec', object.spec, old.spec) : []),
  ]
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']

function targetCauses({ action, direction = 'to', target, externalTargets }: ChaosSpec): StatusCause[] {
  const netem = direction !== 'to' && action !== 'partition'
  const external = '`from` and `both` direction in netem action yet'
  return [
    ...(target ? modeCauses(target, 'spec.target') : []),
    ...(netem && externalTargets?.length
      ? [invalidValue('spec.direction', direction, `external targets cannot be used with ${external}`)]
      : []),
    ...(netem && !target
      ? [
          invalidValue(
            'spec.direction',
            direction,
            '`from` and `both` direction cannot be used when targets is empty in netem action',
          ),
        ]
      : []),
  ]
}

const ADDRESS = /^\d{1,3}(\.\d{1,3}){3}(\/\d{1,2})?$/

function externalCauses({ externalTargets = [] }: ChaosSpec): StatusCause[] {
  const why =
    'the embedded cluster takes addresses and blocks of them (10.0.0.0/8), not names: nothing is outside of it'
  return externalTargets.flatMap((target, index) =>
    ADDRESS.test(target) ? [] : [invalidValue(`spec.externalTargets[${index}]`, target, why)],
  )
}

/** Where the parameters of an action are, when it has some. */
const PARAMETERS: readonly string[] = ['delay', 'loss', 'duplicate', 'corrupt', 'bandwidth']

function parameterCauses(spec: ChaosSpec): StatusCause[] {
  const { action, rate, bandwidth } = spec
  const missing = PARAMETERS.includes(action) && !(spec as unknown as Record<string, unknown>)[action]
  return [
    ...(missing ? [required(`spec.${action}`)] : []),
    ...SHARES.flatMap(([parameter, field]) => shareCauses(spec[parameter], `spec.${parameter}`, field)),
    ...shareCauses(spec.delay?.reorder, 'spec.delay.reorder', 'reorder'),
    ...check('spec.rate.rate', rate?.rate, rateProblem(rate?.rate)),
    ...check('spec.bandwidth.rate', bandwidth?.rate, rateProblem(bandwidth?.rate)),
  ]
}

/** Parameters with a share of packets, and its field; each has a correlation besides. */
const SHARES = [
  ['loss', 'loss'],
  ['corrupt', 'corrupt'],
  ['duplicate', 'duplicate'],
  ['delay', 'correlation'],
] as const

function shareCauses(parameter: object | undefined, path: string, field: string): StatusCause[] {
  const values = (parameter ?? {}) as Readonly<Record<string, string | undefined>>
  return [...new Set([field, 'correlation'])].flatMap((name) =>
    check(`${path}.${name}`, values[name], percentProblem(values[name])),
  )
}

function rateProblem(rate: string | undefined): string | null {
  return rate === undefined || parseRate(rate) !== null ? null : 'parse rate field error:invalid unit'
}

function commonCauses(spec: CommonSpec, path: string): StatusCause[] {
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
