import type { Kernel } from '../kernel/kernel.js'
import { invalid } from '../store/api-error.js'
import type { K8sObject } from '../store/object.js'
import type { ObjectStore } from '../store/store.js'

const HOSTS = 0xffff
const RANGE = '10.96.'
const NODE_PORTS = { first: 30000, count: 2768 }
const ATTEMPTS = 10_000

interface ServicePort {
  nodePort?: number
}

interface ServiceSpec {
  type?: string
  clusterIP?: string
  clusterIPs?: string[]
  ports?: ServicePort[]
  ipFamilyPolicy?: string
}

/**
 * A service with the addresses that a cluster gives it: a cluster IP of 10.96.0.0/16, and node ports where its type
 * has them. Other objects come back as they are. Throws ApiError 422 for an address that is taken or outside.
 */
export function withAddresses(target: { store: ObjectStore; kernel: Kernel }, object: K8sObject): K8sObject {
  if (object.kind !== 'Service') return object
  const spec = object.spec as ServiceSpec
  // It is a name only: nothing is behind it that could have an address.
  if (spec.type === 'ExternalName') return object
  const used = addressesInUse(target.store)
  const clusterIP = spec.clusterIP || freeAddress(target.kernel, used)
  const problem = addressProblem(clusterIP, used)
  if (problem) {
    const cause = { reason: 'FieldValueInvalid', message: `Invalid value: ["${clusterIP}"]: ${problem}` }
    throw invalid({ kind: 'Service', group: '' }, object.metadata.name ?? '', [{ ...cause, field: 'spec.clusterIPs' }])
  }
  return {
    ...object,
    spec: {
      ...spec,
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: spec.ipFamilyPolicy ?? 'SingleStack',
      ...(spec.ports ? { ports: withNodePorts(target.kernel, spec, nodePortsInUse(target.store)) } : {}),
    },
  }
}

function servicesOf(store: ObjectStore): ServiceSpec[] {
  return store.list('services').map((service) => service.spec as ServiceSpec)
}

function addressesInUse(store: ObjectStore): Set<string> {
  return new Set(servicesOf(store).map((spec) => spec.clusterIP ?? ''))
}

function nodePortsInUse(store: ObjectStore): Set<number> {
  return new Set(servicesOf(store).flatMap((spec) => (spec.ports ?? []).map((port) => port.nodePort ?? 0)))
}

function addressProblem(address: string, used: ReadonlySet<string>): string | null {
  if (address === 'None') return null
  const match = /^10\.96\.(\d{1,3})\.(\d{1,3})$/.exec(address)
  if (!match || Number(match[1]) > 255 || Number(match[2]) > 255) {
    const range = 'The range of valid IPs is 10.96.0.0/16'
    return `failed to allocate IP ${address}: the provided IP (${address}) is not in the valid range. ${range}`
  }
  return used.has(address) ? `failed to allocate IP ${address}: provided IP is already allocated` : null
}

function freeAddress(kernel: Kernel, used: ReadonlySet<string>): string {
  const random = kernel.stream('service-addresses')
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const host = 256 + random.below(HOSTS - 256)
    const address = `${RANGE}${host >> 8}.${host & 255}`
    if (!used.has(address)) return address
  }
  throw new Error('no cluster IP is free')
}

function withNodePorts(kernel: Kernel, spec: ServiceSpec, used: Set<number>): ServicePort[] {
  const ports = spec.ports ?? []
  if (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') return ports
  const random = kernel.stream('node-ports')
  return ports.map((port) => {
    let nodePort = port.nodePort || undefined
    while (nodePort === undefined || (!port.nodePort && used.has(nodePort))) {
      nodePort = NODE_PORTS.first + random.below(NODE_PORTS.count)
    }
    used.add(nodePort)
    return { ...port, nodePort }
  })
}
