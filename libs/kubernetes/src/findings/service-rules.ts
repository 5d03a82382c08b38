import { containersOf, isWorkload, servicePortsOf, serviceSelectorOf } from '../graph/pod-template.js'
import { isRoute, routedBackends } from '../graph/routes.js'
import {
  idOf,
  type JsonMap,
  type KubernetesObject,
  mapAt,
  mapsAt,
  numberAt,
  textAt,
} from '../input/kubernetes-object.js'
import { type Application, type Rule, type Severity, type Weakness } from './rule.js'

/** Each Service that selects pods, with the objects whose pods it selects. */
function eachService(
  { objects, pods }: Application,
  find: (service: KubernetesObject, selected: KubernetesObject[]) => Weakness[],
): Weakness[] {
  return objects
    .filter((o) => o.kind === 'Service' && o.apiVersion === 'v1' && Object.keys(serviceSelectorOf(o)).length > 0)
    .flatMap((service) => find(service, pods.select(serviceSelectorOf(service))))
}

const selectsNothing: Rule = {
  id: 'ORD040-selector-matches-nothing',
  severity: 'error',
  why: 'A Service without pods answers nobody.',
  proof: 'Call it: no connection is ever made.',
  find: (application) =>
    eachService(application, (object, selected) => {
      if (selected.length) return []
      const labels = Object.entries(serviceSelectorOf(object)).map(([key, value]) => `${key}=${value}`)
      const message = `No pod carries the labels that it selects (${labels.join(', ')}).`
      const severity = application.isOperated ? 'note' : 'error'
      return [{ object, path: ['spec', 'selector'], message, severity }]
    }),
}

const portMatchesNothing: Rule = {
  id: 'ORD041-port-matches-nothing',
  severity: 'error',
  why: 'Connections through the Service are refused.',
  proof: 'Call it: every connection is refused, or each that reaches the wrong pods.',
  find: (application) =>
    eachService(application, (object, selected) =>
      servicePortsOf(object).flatMap(({ targetPort }, index) => {
        const severity = mismatchOf(selected, targetPort)
        if (severity === null) return []
        const path = ['spec', 'ports', index, 'targetPort']
        return [{ object, path, message: mismatchMessage(selected, targetPort), severity }]
      }),
    ),
}

/** A port that some of the selected workloads lack is as wrong for the requests that reach those. */
function mismatchOf(selected: readonly KubernetesObject[], target: number | string): Severity | null {
  const verdicts = selected.filter(isWorkload).map((workload) => listening(containersOf(workload), target))
  const bad = verdicts.filter((v) => v === 'no' || v === 'unlikely')
  if (!bad.length) return null
  if (bad.length < verdicts.length) return typeof target === 'string' && verdicts.includes('no') ? 'warning' : 'note'
  return verdicts.includes('unlikely') ? 'warning' : 'error'
}

function mismatchMessage(selected: readonly KubernetesObject[], target: number | string): string {
  const wrong = selected.filter((w) => isWorkload(w) && /^(no|unlikely)$/.test(listening(containersOf(w), target)))
  const declared = [...new Set(wrong.flatMap((w) => portsOf(containersOf(w)).map((p) => p.port)))]
  const where = wrong.length < selected.filter(isWorkload).length ? ` of ${wrong.map(idOf).join(', ')}` : ''
  return `Nothing listens on its target port ${target}: the pods' containers${where} declare ${declared.join(', ') || 'no port'}.`
}

const headlessPort: Rule = {
  id: 'ORD043-headless-port',
  severity: 'warning',
  why: 'A headless Service gives callers the addresses of pods and turns no port into another: its own port is refused.',
  proof: 'Call it on its port: every connection is refused, while the target port answers.',
  find: (application) =>
    eachService(application, (object, selected) => {
      if (mapAt(object, 'spec').clusterIP !== 'None' || !selected.length) return []
      return servicePortsOf(object).flatMap(({ port, targetPort }, index): Weakness[] => {
        const target = numberOf(targetPort, selected)
        if (target === null || target === port || isDeclaredBy(selected, port)) return []
        const message = `It is headless, so port ${port} is not led to ${targetPort}: callers reach the pods on ${port}, where nothing listens.`
        return [{ object, path: ['spec', 'ports', index, 'port'], message }]
      })
    }),
}

const isDeclaredBy = (selected: readonly KubernetesObject[], port: number): boolean =>
  selected.some((w) => portsOf(containersOf(w)).some((p) => p.port === port))

/** The number of a target port, which may be the name of a container's. */
function numberOf(target: number | string, selected: readonly KubernetesObject[]): number | null {
  if (typeof target === 'number') return target
  return selected.flatMap((w) => portsOf(containersOf(w))).find((p) => p.name === target)?.port ?? null
}

const servesUnready: Rule = {
  id: 'ORD045-serves-unready',
  severity: 'warning',
  why: 'Pods that say they cannot answer are sent traffic all the same.',
  proof: 'Kill a pod under traffic: requests fail while its successor starts.',
  find: (application) =>
    eachService(application, (object) => {
      const { publishNotReadyAddresses, clusterIP } = mapAt(object, 'spec')
      if (publishNotReadyAddresses !== true || clusterIP === 'None') return []
      const message = 'publishNotReadyAddresses: pods that are not ready are sent traffic, too.'
      return [{ object, path: ['spec', 'publishNotReadyAddresses'], message }]
    }),
}

const routeLeadsNowhere: Rule = {
  id: 'ORD044-route-leads-nowhere',
  severity: 'error',
  why: 'Users who come by this way get an error.',
  proof: 'Request one of its paths: it is answered by an error of the router.',
  find: ({ objects, byId, isOperated }) =>
    objects.filter(isRoute).flatMap((object) =>
      routedBackends(object).flatMap(({ name, port, path }): Weakness[] => {
        const service = byId.get(`Service/${name}`)
        if (!service) {
          const severity = object.kind === 'Ingress' && !isOperated ? 'warning' : 'note'
          return [{ object, path, message: `It leads to Service/${name}, which is not among the manifests.`, severity }]
        }
        if (port === null || hasPort(service, port)) return []
        const message = `It leads to port ${port} of Service/${name}, which has none of that ${typeof port === 'string' ? 'name' : 'number'}.`
        return [{ object, path, message }]
      }),
    ),
}

const hasPort = (service: KubernetesObject, port: number | string): boolean =>
  mapsAt(mapAt(service, 'spec'), 'ports').some((p) => p.port === port || p.name === port)

const portsOf = (containers: readonly JsonMap[]): { name: string | null; port: number }[] =>
  containers.flatMap((c) =>
    mapsAt(c, 'ports').map((p) => ({ name: textAt(p, 'name'), port: numberAt(p, 'containerPort') ?? 0 })),
  )

/**
 * Declared ports are hints, names are not: a container may listen on a port it does not declare, less likely so where it
 * declares others, and unknown where it declares none.
 */
function listening(containers: readonly JsonMap[], target: number | string): 'yes' | 'no' | 'unlikely' | 'unknown' {
  const ports = portsOf(containers)
  if (ports.some((p) => p.port === target || p.name === target)) return 'yes'
  if (typeof target === 'string') return 'no'
  if (!ports.length) return 'unknown'
  return containers.every((c) => mapsAt(c, 'ports').length) ? 'no' : 'unlikely'
}

export const serviceRules: readonly Rule[] = [
  selectsNothing,
  portMatchesNothing,
  headlessPort,
  routeLeadsNowhere,
  servesUnready,
]
