import { type ClusterObject, objectIdOf } from '../cluster/object.js'
import { type Operation, OperationError, patchOf } from './operation.js'
import { type FunctionalFault, type Scene } from './plan-operation.js'

type Labels = Readonly<Record<string, string>>
type ServiceFault = Extract<FunctionalFault, { action: 'wrong-port' | 'wrong-selector' }>
type AnyServiceFault = ServiceFault | Extract<FunctionalFault, { action: 'excess-load' }>

/** TCP's multiplexer, on which nothing listens any more. */
const DEAD_PORT = 1
const WRONG_LABEL = 'ordeal.dev/wrong-selector'

/** The services that a fault means. Throws OperationError when there is none. */
export function servicesOf(fault: AnyServiceFault, { services, pods, workload }: Scene): ClusterObject[] {
  const { service } = fault.parameters
  const labels = pods[0]?.metadata.labels ?? templateLabels(workload)
  const meant = services.filter((one) => (service === undefined ? selects(one, labels) : one.metadata.name === service))
  if (meant.length > 0) return meant
  const which =
    service === undefined ? `no service selects the pods of ${objectIdOf(workload)}` : `no service ${service}`
  throw new OperationError(which)
}

/** Makes the services lead nowhere. */
export function breakServices(fault: ServiceFault, scene: Scene): Operation {
  const one = fault.action === 'wrong-port' ? wrongPort : wrongSelector
  const operations = servicesOf(fault, scene).map(one)
  return {
    what: operations.map(({ what }) => what).join('; '),
    writes: operations.flatMap(({ writes }) => writes),
    undo: operations.flatMap(({ undo }) => undo),
    evictions: [],
  }
}

function wrongPort(service: ClusterObject): Operation {
  const { ports = [] } = service.spec as { ports?: object[] }
  const wrong = ports.map((port) => ({ ...port, targetPort: DEAD_PORT }))
  const what = `${objectIdOf(service)} sends traffic to port ${DEAD_PORT}`
  return patchOf(service, { what, patch: { spec: { ports: wrong } }, before: { spec: { ports } } })
}

function wrongSelector(service: ClusterObject): Operation {
  const selector = (value: string | null) => ({ spec: { selector: { [WRONG_LABEL]: value } } })
  const what = `${objectIdOf(service)} selects nothing`
  return patchOf(service, { what, patch: selector('true'), before: selector(null) })
}

function selects(service: ClusterObject, labels: Labels): boolean {
  const { selector } = service.spec as { selector?: Labels }
  const entries = Object.entries(selector ?? {})
  return entries.length > 0 && entries.every(([key, value]) => labels[key] === value)
}

const templateLabels = ({ spec }: ClusterObject): Labels =>
  (spec as { template?: { metadata?: { labels?: Labels } } }).template?.metadata?.labels ?? {}
