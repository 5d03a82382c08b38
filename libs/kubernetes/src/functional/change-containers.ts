import { assertNever } from '@ordeal/shared'
import { type ClusterObject, objectIdOf } from '../cluster/object.js'
import { type Operation, OperationError, patchOf } from './operation.js'
import { type FunctionalFault } from './plan-operation.js'

const ACTIONS = ['bad-probe', 'missing-env', 'missing-config', 'bad-image', 'config-change'] as const
type ContainerFault = Extract<FunctionalFault, { action: (typeof ACTIONS)[number] }>

/** Whether the fault is a mistake in new pods. */
export const isContainerFault = (fault: FunctionalFault): fault is ContainerFault =>
  ACTIONS.some((action) => action === fault.action)

interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: unknown
}
interface Container {
  readonly name: string
  readonly image?: string
  readonly env?: readonly Variable[]
  readonly envFrom?: readonly object[]
  readonly [field: string]: unknown
}

/** Nothing listens there. */
const DEAD_PORT = 1
/** No name below `invalid` is ever registered (RFC 2606). */
const NO_IMAGE = 'registry.invalid/ordeal/no-such-image:1'
const NO_CONFIG = 'ordeal-no-such-config'

/**
 * Rolls out pods with a mistake in them. A merge patch replaces lists, so all containers are written, before and after.
 * Throws OperationError where the mistake would change nothing.
 */
export function changeContainers(fault: ContainerFault, workload: ClusterObject): Operation {
  const containers = containersOf(workload)
  const changed = containers.map((container) => changedContainer(fault, container))
  if (changed.every((container, index) => container === containers[index]))
    throw new OperationError(nothing(fault, workload))
  const patch = (list: readonly Container[]) => ({ spec: { template: { spec: { containers: list } } } })
  const what = `${objectIdOf(workload)} rolls out pods ${mistake(fault)}`
  return patchOf(workload, { what, patch: patch(changed), before: patch(containers) })
}

const containersOf = ({ spec }: ClusterObject): readonly Container[] =>
  (spec as { template?: { spec?: { containers?: Container[] } } }).template?.spec?.containers ?? []

function changedContainer(fault: ContainerFault, container: Container): Container {
  switch (fault.action) {
    case 'bad-probe':
      return withDeadProbe(container, `${fault.parameters.probe}Probe`)
    case 'missing-env':
      return withoutVariable(container, fault.parameters.variable)
    case 'missing-config':
      return { ...container, envFrom: [...(container.envFrom ?? []), { configMapRef: { name: NO_CONFIG } }] }
    case 'bad-image':
      return { ...container, image: NO_IMAGE }
    case 'config-change':
      return withVariable(container, fault.parameters)
    default:
      return assertNever(fault)
  }
}

/** A probe that is there keeps its timing; a container without one gets one with the defaults of Kubernetes. */
function withDeadProbe(container: Container, field: string): Container {
  const { httpGet: _http, exec: _exec, grpc: _grpc, ...timing } = (container[field] ?? {}) as Record<string, unknown>
  return { ...container, [field]: { ...timing, tcpSocket: { port: DEAD_PORT } } }
}

function withoutVariable(container: Container, variable: string): Container {
  const { env = [] } = container
  return env.some(({ name }) => name === variable)
    ? { ...container, env: env.filter(({ name }) => name !== variable) }
    : container
}

function withVariable(container: Container, { variable, value }: { variable: string; value: string }): Container {
  const { env = [] } = container
  const known = env.find(({ name }) => name === variable)
  if (!known || known.value === value) return container
  return { ...container, env: env.map((one) => (one === known ? { name: variable, value } : one)) }
}

function nothing(fault: ContainerFault, workload: ClusterObject): string {
  const where = objectIdOf(workload)
  if (fault.action === 'missing-env') return `no container of ${where} has a variable ${fault.parameters.variable}`
  if (fault.action === 'config-change') {
    return `no container of ${where} has a variable ${fault.parameters.variable} with another value`
  }
  return `${where} has no container`
}

function mistake(fault: ContainerFault): string {
  switch (fault.action) {
    case 'bad-probe':
      return `with a ${fault.parameters.probe} probe on a port where nobody listens`
    case 'missing-env':
      return `without the variable ${fault.parameters.variable}`
    case 'missing-config':
      return `that want a ConfigMap which is not there (${NO_CONFIG})`
    case 'bad-image':
      return `with an image that nobody can pull (${NO_IMAGE})`
    case 'config-change':
      return `with another value of the variable ${fault.parameters.variable}`
    default:
      return assertNever(fault)
  }
}
