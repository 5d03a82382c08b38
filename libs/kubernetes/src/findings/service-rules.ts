import { containersOf, podLabelsOf, servicePortsOf, serviceSelectorOf, templatePathOf } from '../graph/pod-template.js'
import { type JsonMap, type KubernetesObject, mapsAt, numberAt, selects, textAt } from '../input/kubernetes-object.js'
import { type Application, type Rule, type Weakness } from './rule.js'

/** Each Service that selects pods, with the objects whose pods it selects. */
function eachService(
  { objects }: Application,
  find: (service: KubernetesObject, selected: KubernetesObject[]) => Weakness[],
): Weakness[] {
  return objects
    .filter((o) => o.kind === 'Service' && o.apiVersion === 'v1' && Object.keys(serviceSelectorOf(o)).length > 0)
    .flatMap((service) => find(service, selectedBy(service, objects)))
}

const selectedBy = (service: KubernetesObject, objects: readonly KubernetesObject[]): KubernetesObject[] =>
  objects.filter((o) => templatePathOf(o) && selects(serviceSelectorOf(service), podLabelsOf(o)))

/** An operator may make pods of a custom resource, so that a selector's pods stand in no manifest. */
const hasCustomResource = (objects: readonly KubernetesObject[]): boolean =>
  objects.some((o) => o.apiVersion.includes('.') && !/\.k8s\.io\//.test(o.apiVersion))

const selectsNothing: Rule = {
  id: 'ORD040-selector-matches-nothing',
  severity: 'error',
  why: 'A Service without pods answers nobody.',
  find: (application) =>
    eachService(application, (object, selected) => {
      if (selected.length) return []
      const labels = Object.entries(serviceSelectorOf(object)).map(([key, value]) => `${key}=${value}`)
      const message = `No pod carries the labels that it selects (${labels.join(', ')}).`
      const severity = hasCustomResource(application.objects) ? 'warning' : 'error'
      return [{ object, path: ['spec', 'selector'], message, severity }]
    }),
}

const portMatchesNothing: Rule = {
  id: 'ORD041-port-matches-nothing',
  severity: 'error',
  why: 'Connections through the Service are refused.',
  find: (application) =>
    eachService(application, (object, selected) =>
      servicePortsOf(object).flatMap(({ targetPort }, index): Weakness[] => {
        const verdicts = selected.map((workload) => listening(containersOf(workload), targetPort))
        if (!selected.length || verdicts.some((v) => v !== 'no' && v !== 'unlikely')) return []
        const declared = [...new Set(selected.flatMap((w) => portsOf(containersOf(w)).map((p) => p.port)))]
        const message = `Nothing listens on its target port ${targetPort}: the pods' containers declare ${declared.join(', ') || 'no port'}.`
        const path = ['spec', 'ports', index, 'targetPort']
        return [{ object, path, message, severity: verdicts.includes('unlikely') ? 'warning' : 'error' }]
      }),
    ),
}

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

const circular: Rule = {
  id: 'ORD042-circular-dependency',
  severity: 'note',
  why: 'Workloads that wait for each other may never come up together again.',
  find: ({ graph, objects }) => {
    const next = (id: string): string[] => {
      const called = graph.edges.filter((e) => e.from === id).map((e) => e.to)
      return graph.services.filter((s) => called.includes(s.id)).flatMap((s) => s.workloads)
    }
    return graph.workloads.flatMap(({ id }): Weakness[] => {
      const object = objects.find((o) => `${o.kind}/${o.metadata.name}` === id)
      if (!object || !reaches(next(id), id, next)) return []
      return [{ object, path: [], message: 'It depends, by way of others, on itself.' }]
    })
  },
}

function reaches(from: readonly string[], goal: string, next: (id: string) => string[]): boolean {
  const seen = new Set<string>()
  const open = [...from]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === goal) return true
    if (!seen.has(id)) open.push(...next(id))
    seen.add(id)
  }
  return false
}

export const serviceRules: readonly Rule[] = [selectsNothing, portMatchesNothing, circular]
