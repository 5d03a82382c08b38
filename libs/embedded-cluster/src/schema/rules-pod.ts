import type { StatusCause } from '../store/api-error.js'
import { sameJson, type K8sObject, type StoredObject } from '../store/object.js'
import { check, forbidden, invalidValue, notNegative, required, unique, unsupported } from './causes.js'
import { labelNameProblem, portNameProblem, portProblem } from './names.js'
import { parseQuantity } from './quantity.js'
import { placementCauses, tolerationCauses } from './rules-placement.js'

interface Port {
  name?: string
  containerPort: number
  protocol?: string
}

interface Handler {
  exec?: unknown
  httpGet?: { port: number | string }
  tcpSocket?: { port: number | string }
}

interface Probe extends Handler {
  initialDelaySeconds?: number
  periodSeconds?: number
  timeoutSeconds?: number
  successThreshold?: number
  failureThreshold?: number
}

interface Resources {
  requests?: Record<string, string | number>
  limits?: Record<string, string | number>
}

interface Container {
  name: string
  image?: string
  ports?: Port[]
  env?: { name: string; value?: string; valueFrom?: Record<string, unknown> }[]
  resources?: Resources
  readinessProbe?: Probe
  livenessProbe?: Probe
  startupProbe?: Probe
  lifecycle?: unknown
  volumeMounts?: { name: string; mountPath: string }[]
}

/** What the rules read of a pod's spec. */
export interface PodSpec {
  containers: Container[]
  initContainers?: (Container & { restartPolicy?: string })[]
  restartPolicy?: string
  terminationGracePeriodSeconds?: number
  volumes?: Record<string, unknown>[]
  topologySpreadConstraints?: { maxSkew: number; topologyKey: string; whenUnsatisfiable: string }[]
  [field: string]: unknown
}

const PROBES = ['readinessProbe', 'livenessProbe', 'startupProbe'] as const
const POLICIES = ['Always', 'OnFailure', 'Never']

export function podCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  if (object.spec === undefined) return [required('spec')]
  const spec = object.spec as PodSpec
  return [...podSpecCauses(spec, 'spec'), ...(old ? podChanges(spec, old.spec as PodSpec) : [])]
}

/** What is wrong with a pod's spec at `path`: `spec` of a pod, `spec.template.spec` of a workload. */
export function podSpecCauses(spec: PodSpec, path: string): StatusCause[] {
  const { containers, restartPolicy } = spec
  return [
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...containers.flatMap((container, i) => containerCauses(container, spec, `${path}.containers[${i}]`)),
    ...initCauses(spec, path),
    ...nameCauses(spec, path),
    ...(POLICIES.includes(restartPolicy ?? 'Always')
      ? []
      : [unsupported(`${path}.restartPolicy`, restartPolicy, POLICIES)]),
    ...notNegative(`${path}.terminationGracePeriodSeconds`, spec.terminationGracePeriodSeconds),
    ...spreadCauses(spec, path),
    ...volumeCauses(spec, path),
    ...placementCauses(spec, path),
    ...tolerationCauses(spec, path),
  ]
}

function initCauses(spec: PodSpec, path: string): StatusCause[] {
  return (spec.initContainers ?? []).flatMap((container, i) => {
    const at = `${path}.initContainers[${i}]`
    const sidecar = container.restartPolicy === 'Always'
    const extras = [...PROBES, 'lifecycle' as const].filter((field) => container[field] !== undefined)
    return [
      ...containerCauses(container, spec, at),
      ...(sidecar ? [] : extras).map((field) =>
        forbidden(`${at}.${field}`, 'may not be set for init containers without restartPolicy=Always'),
      ),
    ]
  })
}

/** Init containers and containers share one set of names. */
function nameCauses({ containers, initContainers = [] }: PodSpec, path: string): StatusCause[] {
  const names = [...initContainers, ...containers].map(({ name }) => name)
  const first = initContainers.length
  return unique(names, (i) =>
    i < first ? `${path}.initContainers[${i}].name` : `${path}.containers[${i - first}].name`,
  )
}

function containerCauses(container: Container, spec: PodSpec, path: string): StatusCause[] {
  return [
    ...check(`${path}.name`, container.name, labelNameProblem(container.name)),
    ...(container.image ? [] : [required(`${path}.image`)]),
    ...portCauses(container.ports ?? [], `${path}.ports`),
    ...envCauses(container, `${path}.env`),
    ...resourceCauses(container.resources ?? {}, `${path}.resources`),
    ...PROBES.flatMap((name) => probeCauses(container[name], name, `${path}.${name}`)),
    ...mountCauses(container, spec, `${path}.volumeMounts`),
  ]
}

function portCauses(ports: Port[], path: string): StatusCause[] {
  return [
    ...ports.flatMap(({ name, containerPort, protocol }, i) => [
      ...(containerPort === 0
        ? [required(`${path}[${i}].containerPort`)]
        : check(`${path}[${i}].containerPort`, containerPort, portProblem(containerPort))),
      ...(name === undefined ? [] : check(`${path}[${i}].name`, name, portNameProblem(name))),
      ...(protocol === 'TCP' || protocol === 'UDP' || protocol === 'SCTP'
        ? []
        : [unsupported(`${path}[${i}].protocol`, protocol, ['SCTP', 'TCP', 'UDP'])]),
    ]),
    ...unique(
      ports.map((port) => port.name),
      (i) => `${path}[${i}].name`,
    ),
  ]
}

function envCauses(container: Container, path: string): StatusCause[] {
  return (container.env ?? []).flatMap(({ name, value, valueFrom }, i) => [
    ...(name === '' ? [required(`${path}[${i}].name`)] : []),
    ...(value && valueFrom
      ? [invalidValue(`${path}[${i}].valueFrom`, '', 'may not be specified when `value` is not empty')]
      : []),
    ...(valueFrom ? sourceCauses(valueFrom, `${path}[${i}].valueFrom`) : []),
  ])
}

const FIELD_PATH =
  /^(metadata\.(name|namespace|uid|(labels|annotations)\['[^']+'\])|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?))$/

function sourceCauses(valueFrom: Record<string, unknown>, path: string): StatusCause[] {
  if (Object.keys(valueFrom).length !== 1) return [invalidValue(path, '', 'must specify exactly one of its sources')]
  const { fieldPath } = (valueFrom.fieldRef ?? {}) as { fieldPath?: string }
  if (fieldPath === undefined || FIELD_PATH.test(fieldPath)) return []
  const why = `error converting fieldPath: field label not supported: ${fieldPath}`
  return [invalidValue(`${path}.fieldRef.fieldPath`, fieldPath, why)]
}

function resourceCauses({ requests = {}, limits = {} }: Resources, path: string): StatusCause[] {
  const negative = (['requests', 'limits'] as const).flatMap((side) =>
    Object.entries(side === 'requests' ? requests : limits).flatMap(([name, quantity]) =>
      parseQuantity(quantity) < 0
        ? [invalidValue(`${path}.${side}[${name}]`, quantity, 'must be greater than or equal to 0')]
        : [],
    ),
  )
  const tooMuch = Object.entries(requests).flatMap(([name, quantity]) => {
    const limit = limits[name]
    if (limit === undefined || parseQuantity(quantity) <= parseQuantity(limit)) return []
    return [invalidValue(`${path}.requests`, quantity, `must be less than or equal to ${name} limit of ${limit}`)]
  })
  return [...negative, ...tooMuch]
}

const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'failureThreshold',
  'successThreshold',
] as const

function probeCauses(probe: Probe | undefined, name: string, path: string): StatusCause[] {
  if (!probe) return []
  const mustBeOne = name !== 'readinessProbe' && (probe.successThreshold ?? 1) !== 1
  return [
    ...handlerCauses(probe, path),
    ...COUNTS.flatMap((field) => notNegative(`${path}.${field}`, probe[field])),
    ...(mustBeOne ? [invalidValue(`${path}.successThreshold`, probe.successThreshold, 'must be 1')] : []),
  ]
}

function handlerCauses({ exec, httpGet, tcpSocket }: Handler, path: string): StatusCause[] {
  const [first, ...others] = Object.entries({ exec, httpGet, tcpSocket }).filter(([, given]) => given !== undefined)
  if (!first) return [required(path, 'must specify a handler type')]
  const second = others[0]
  if (second) return [forbidden(`${path}.${second[0]}`, 'may not specify more than 1 handler type')]
  const port = httpGet?.port ?? tcpSocket?.port
  const at = `${path}.${httpGet ? 'httpGet' : 'tcpSocket'}.port`
  if (typeof port === 'number') return check(at, port, portProblem(port))
  return port === undefined ? [] : check(at, port, portNameProblem(port))
}

function mountCauses(container: Container, spec: PodSpec, path: string): StatusCause[] {
  const names = new Set((spec.volumes ?? []).map((volume) => volume.name))
  return (container.volumeMounts ?? []).flatMap(({ name, mountPath }, i) => [
    ...(names.has(name) ? [] : [{ reason: 'FieldValueNotFound', ...notFound(`${path}[${i}].name`, name) }]),
    ...(mountPath === '' ? [required(`${path}[${i}].mountPath`)] : []),
  ])
}

function notFound(field: string, name: string): { field: string; message: string } {
  return { field, message: `Not found: ${JSON.stringify(name)}` }
}

function volumeCauses(spec: PodSpec, path: string): StatusCause[] {
  const volumes = spec.volumes ?? []
  return [
    ...volumes.flatMap((volume, i) =>
      Object.keys(volume).length === 2 ? [] : [required(`${path}.volumes[${i}]`, 'must specify one volume type')],
    ),
    ...unique(
      volumes.map((volume) => volume.name),
      (i) => `${path}.volumes[${i}].name`,
    ),
  ]
}

function spreadCauses(spec: PodSpec, path: string): StatusCause[] {
  const when = ['DoNotSchedule', 'ScheduleAnyway']
  return (spec.topologySpreadConstraints ?? []).flatMap(({ maxSkew, topologyKey, whenUnsatisfiable }, i) => {
    const at = `${path}.topologySpreadConstraints[${i}]`
    return [
      ...(maxSkew > 0 ? [] : [invalidValue(`${at}.maxSkew`, maxSkew, 'must be greater than zero')]),
      ...(topologyKey === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
      ...(when.includes(whenUnsatisfiable) ? [] : [unsupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, when)]),
    ]
  })
}

/** Of a pod that exists, only images may change (and what the cluster itself sets). */
function podChanges(spec: PodSpec, old: PodSpec): StatusCause[] {
  const masked = (one: PodSpec): unknown => ({
    ...one,
    nodeName: undefined,
    activeDeadlineSeconds: undefined,
    tolerations: undefined,
    initContainers: one.initContainers?.map((container) => ({ ...container, image: '' })),
    containers: one.containers.map((container) => ({ ...container, image: '' })),
  })
  const moved = old.nodeName !== undefined && spec.nodeName !== old.nodeName
  if (!moved && sameJson(masked(spec), masked(old))) return []
  const why =
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
    '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
    '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'
  return [forbidden('spec', why)]
}
