import type { StoredObject } from '../../store/object.js'
import { AGE, labelText, NAME, shortList, type Column } from './cells.js'

interface ServiceSpec {
  type?: string
  clusterIPs?: string[]
  ports?: { port: number; nodePort?: number; protocol?: string }[]
  selector?: Record<string, string>
}

interface EndpointSlice {
  addressType?: string
  ports?: { name?: string; port?: number }[]
  endpoints?: { addresses?: string[] }[]
}

export function serviceColumns(): readonly Column[] {
  return [
    NAME,
    { name: 'Type', cell: (object) => specOf(object).type ?? '' },
    { name: 'Cluster-IP', cell: (object) => specOf(object).clusterIPs?.[0] ?? '<none>' },
    { name: 'External-IP', cell: (object) => (specOf(object).type === 'LoadBalancer' ? '<pending>' : '<none>') },
    { name: 'Port(s)', cell: portsText },
    AGE,
    { name: 'Selector', priority: 1, cell: (object) => labelText(specOf(object).selector) },
  ]
}

export function endpointSliceColumns(): readonly Column[] {
  return [
    NAME,
    { name: 'AddressType', cell: (object) => sliceOf(object).addressType ?? '' },
    {
      name: 'Ports',
      cell: (object) => shortList((sliceOf(object).ports ?? []).map(({ name, port }) => String(port ?? name ?? '*'))),
    },
    {
      name: 'Endpoints',
      cell: (object) => shortList((sliceOf(object).endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    },
    AGE,
  ]
}

function specOf(object: StoredObject): ServiceSpec {
  return object.spec ?? {}
}

function sliceOf(object: StoredObject): EndpointSlice {
  return object as EndpointSlice
}

function portsText(object: StoredObject): string {
  const ports = (specOf(object).ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  )
  return ports.join(',') || '<none>'
}
