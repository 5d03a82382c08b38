import type { StatusCause } from '../store/api-error.js'
import type { K8sObject, StoredObject } from '../store/object.js'
import { check, immutable, required, unique } from './causes.js'
import { labelCauses } from './rules-metadata.js'
import { labelNameProblem, portNameProblem, portProblem } from './names.js'

interface ServicePort {
  name?: string
  port: number
  protocol?: string
  targetPort?: number | string
}

interface ServiceSpec {
  type?: string
  externalName?: string
  clusterIP?: string
  selector?: Record<string, string>
  ports?: ServicePort[]
}

export function serviceCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  const spec = (object.spec ?? {}) as ServiceSpec
  const ports = spec.ports ?? []
  const before = (old?.spec ?? {}) as ServiceSpec
  return [
    ...missingCauses(spec),
    ...ports.flatMap((port, i) => servicePortCauses(port, ports.length, `spec.ports[${i}]`)),
    ...unique(
      ports.map((port) => port.name),
      (i) => `spec.ports[${i}].name`,
    ),
    ...unique(
      ports.map(({ port, protocol }) => `${port}/${protocol}`),
      (i) => `spec.ports[${i}]`,
    ),
    ...labelCauses('spec.selector', spec.selector ?? {}),
    ...(before.clusterIP ? immutable('spec.clusterIP', spec.clusterIP, before.clusterIP) : []),
  ]
}

function missingCauses({ type, clusterIP, externalName, ports }: ServiceSpec): StatusCause[] {
  if (type === 'ExternalName') return externalName ? [] : [required('spec.externalName')]
  return !ports?.length && clusterIP !== 'None' ? [required('spec.ports')] : []
}

function servicePortCauses({ name, port, targetPort }: ServicePort, count: number, path: string): StatusCause[] {
  return [
    ...(name === undefined && count > 1 ? [required(`${path}.name`)] : []),
    ...(name === undefined ? [] : check(`${path}.name`, name, labelNameProblem(name))),
    ...check(`${path}.port`, port, portProblem(port)),
    ...(typeof targetPort === 'number' ? check(`${path}.targetPort`, targetPort, portProblem(targetPort)) : []),
    ...(typeof targetPort === 'string' ? check(`${path}.targetPort`, targetPort, portNameProblem(targetPort)) : []),
  ]
}
