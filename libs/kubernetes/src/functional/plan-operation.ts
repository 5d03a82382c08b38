import { assertNever, type FaultOf } from '@ordeal/shared'
import { type ClusterObject, objectIdOf, type Pod } from '../cluster/object.js'
import { drainNode } from './drain-node.js'
import { type Operation, OperationError, patchOf, refTo } from './operation.js'
import { breakServices, servicesOf } from './break-service.js'
import { changeContainers, isContainerFault } from './change-containers.js'

export type FunctionalFault = FaultOf<'Functional'>

/** What a functional fault finds when its time has come. */
export interface Scene {
  /** The component, as it is now. */
  readonly workload: ClusterObject
  readonly services: readonly ClusterObject[]
  /** The component's pods. */
  readonly pods: readonly Pod[]
  /** How many pods the namespace holds. */
  readonly podCount: number
  /** For objects that the fault creates. */
  readonly name: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  /** The object that makes `requestsPerSecond` requests to a URL. */
  loadPod(url: string, requestsPerSecond: number): ClusterObject
}

const SCALABLE = ['Deployment', 'ReplicaSet', 'StatefulSet']
const ROLLED_OUT = ['Deployment', 'StatefulSet', 'DaemonSet']

/** What a functional fault will do. Pure. Throws OperationError when it cannot be done to what is there. */
export function planOperation(fault: FunctionalFault, scene: Scene): Operation {
  const { workload } = scene
  if (isContainerFault(fault)) {
    return changeContainers(fault, requireKind(workload, ROLLED_OUT, 'its pods are not rolled out'))
  }
  switch (fault.action) {
    case 'wrong-port':
    case 'wrong-selector':
      return breakServices(fault, scene)
    case 'quota-exhausted':
      return exhaustQuota(scene)
    case 'node-drain':
      return drainNode(scene.pods)
    case 'rolling-restart':
      return restart(requireKind(workload, ROLLED_OUT, 'its pods are not rolled out'), scene.name)
    case 'scale-to-zero':
      return scaleToZero(requireKind(workload, SCALABLE, 'it has no replicas'))
    case 'excess-load':
      return addLoad(fault, scene)
    default:
      return assertNever(fault)
  }
}

function requireKind(workload: ClusterObject, kinds: readonly string[], why: string): ClusterObject {
  if (kinds.includes(workload.kind)) return workload
  throw new OperationError(`${objectIdOf(workload)} is no ${kinds.join(' or ')}: ${why}`)
}

function exhaustQuota({ name, namespace, labels, podCount }: Scene): Operation {
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name, namespace, labels: { ...labels } },
    spec: { hard: { pods: String(podCount) } },
  }
  const what = `the namespace may have no more than the ${podCount} pods that it has`
  return { what, writes: [{ do: 'create', object: quota }], undo: [{ do: 'remove', ref: refTo(quota) }], evictions: [] }
}

/** A restart leaves nothing that could be taken back: the mark on the template stays, as `kubectl` leaves it. */
function restart(workload: ClusterObject, mark: string): Operation {
  const annotations = { 'ordeal.dev/restarted-by': mark }
  const patch = { spec: { template: { metadata: { annotations } } } }
  const what = `${objectIdOf(workload)} restarted, pod by pod`
  return { what, writes: [{ do: 'patch', ref: refTo(workload), patch }], undo: [], evictions: [] }
}

function scaleToZero(workload: ClusterObject): Operation {
  const { replicas = 1 } = workload.spec as { replicas?: number }
  const before = { spec: { replicas } }
  return patchOf(workload, { what: `${objectIdOf(workload)} scaled to 0`, patch: { spec: { replicas: 0 } }, before })
}

function addLoad(fault: Extract<FunctionalFault, { action: 'excess-load' }>, scene: Scene): Operation {
  const { requestsPerSecond } = fault.parameters
  const [service] = servicesOf(fault, scene)
  const { ports = [] } = (service?.spec ?? {}) as { ports?: { port: number }[] }
  const [port] = ports
  if (!service || !port) throw new OperationError(`no service of ${fault.target.component} has a port`)
  const url = `http://${service.metadata.name}.${scene.namespace}.svc.cluster.local:${port.port}/`
  const object = scene.loadPod(url, requestsPerSecond)
  const what = `${requestsPerSecond} requests a second more to ${objectIdOf(service)}`
  return { what, writes: [{ do: 'create', object }], undo: [{ do: 'remove', ref: refTo(object) }], evictions: [] }
}
