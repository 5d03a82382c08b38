import type { StatusCause } from '../store/api-error.js'
import type { K8sObject } from '../store/object.js'
import { AddressBlock } from '../traffic/address-block.js'
import { check, forbidden, invalidValue, required, unsupported } from './causes.js'

interface Peer {
  readonly podSelector?: object
  readonly namespaceSelector?: object
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
}
interface Port {
  readonly port?: number | string
  readonly endPort?: number
  readonly protocol?: string
}
interface Rule {
  readonly from?: readonly Peer[]
  readonly to?: readonly Peer[]
  readonly ports?: readonly Port[]
}
interface PolicySpec {
  readonly policyTypes?: readonly string[]
  readonly ingress?: readonly Rule[]
  readonly egress?: readonly Rule[]
}

const CIDR = /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}\/(3[0-2]|[12]?\d)$/
const NO_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
const TYPES = ['Ingress', 'Egress']
const PROTOCOLS = ['TCP', 'UDP', 'SCTP']

/** What the API server refuses of a NetworkPolicy beyond its shape. */
export function networkPolicyCauses(object: K8sObject): StatusCause[] {
  const { policyTypes = [], ingress = [], egress = [] } = (object.spec ?? {}) as PolicySpec
  return [
    ...ingress.flatMap((rule, index) => ruleCauses(rule, `spec.ingress[${index}]`)),
    ...egress.flatMap((rule, index) => ruleCauses(rule, `spec.egress[${index}]`)),
    ...policyTypes.flatMap((type, index) =>
      TYPES.includes(type) ? [] : [unsupported(`spec.policyTypes[${index}]`, type, TYPES)],
    ),
    ...(policyTypes.length > 2
      ? [invalidValue('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes')]
      : []),
  ]
}

function ruleCauses({ from, to, ports = [] }: Rule, path: string): StatusCause[] {
  const side = from ? 'from' : 'to'
  return [
    ...ports.flatMap((port, index) => portCauses(port, `${path}.ports[${index}]`)),
    ...(from ?? to ?? []).flatMap((peer, index) => peerCauses(peer, `${path}.${side}[${index}]`)),
  ]
}

function portCauses({ port, endPort, protocol = 'TCP' }: Port, path: string): StatusCause[] {
  const outside = typeof port === 'number' && (port < 1 || port > 65_535)
  return [
    ...(PROTOCOLS.includes(protocol) ? [] : [unsupported(`${path}.protocol`, protocol, PROTOCOLS)]),
    ...check(`${path}.port`, port, outside ? 'must be between 1 and 65535, inclusive' : null),
    ...(endPort === undefined ? [] : endPortCauses(port, endPort, `${path}.endPort`)),
  ]
}

function endPortCauses(port: number | string | undefined, endPort: number, field: string): StatusCause[] {
  const because = (why: string) => [invalidValue(field, endPort, why)]
  if (port === undefined) return because('may not be specified when `port` is not specified')
  if (typeof port === 'string') return because('may not be specified when `port` is non-numeric')
  return endPort < port ? because('must be greater than or equal to `port`') : []
}

function peerCauses({ podSelector, namespaceSelector, ipBlock }: Peer, path: string): StatusCause[] {
  if (!ipBlock) return (podSelector ?? namespaceSelector) ? [] : [required(path, 'must specify a peer')]
  if (podSelector ?? namespaceSelector) return [forbidden(path, 'may not specify both ipBlock and another peer')]
  return blockCauses(ipBlock, `${path}.ipBlock`)
}

function blockCauses({ cidr, except = [] }: NonNullable<Peer['ipBlock']>, path: string): StatusCause[] {
  if (!CIDR.test(cidr)) return [invalidValue(`${path}.cidr`, cidr, NO_CIDR)]
  const block = new AddressBlock(cidr)
  return except.flatMap((part, index) => {
    const field = `${path}.except[${index}]`
    if (!CIDR.test(part)) return [invalidValue(field, part, NO_CIDR)]
    const [address = '', bits] = part.split('/')
    const inside = block.has(address) && Number(bits) > Number(cidr.split('/')[1])
    return inside ? [] : [invalidValue(field, part, 'must be a strict subset of `cidr`')]
  })
}
