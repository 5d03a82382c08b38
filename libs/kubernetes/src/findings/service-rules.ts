import { type Graph } from '@ordeal/shared'
import { containersOf, servicePortsOf, serviceSelectorOf } from '../graph/pod-template.js'
import { type JsonMap, type KubernetesObject, mapsAt, numberAt, textAt } from '../input/kubernetes-object.js'
import { type Application, type Rule, type Weakness } from './rule.js'

/** Each Service that selects pods, with the objects whose pods it selects. */
function eachService(
  { objects, pods }: Application,
  find: (service: KubernetesObject, selected: KubernetesObject[]) => Weakness[],
): Weakness[] {
  return objects
    .filter((o) => o.kind === 'Service' && o.apiVersion === 'v1' && Object.keys(serviceSelectorOf(o)).length > 0)
    .flatMap((service) => find(service, pods.select(serviceSelectorOf(service))))
}

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
  find: ({ graph, byId }) => {
    const next = dependenciesOf(graph)
    return withoutEnds([...next.keys()], next).flatMap((id): Weakness[] => {
      const object = byId.get(id)
      if (!object || !reaches(next.get(id) ?? [], id, next)) return []
      return [{ object, path: [], message: 'It depends, by way of others, on itself.' }]
    })
  },
}

type Dependencies = ReadonlyMap<string, readonly string[]>

/** Workloads by the workloads whose services they call. */
function dependenciesOf(graph: Graph): Dependencies {
  const behind = new Map(graph.services.map((s) => [s.id, s.workloads]))
  const next = new Map<string, string[]>(graph.workloads.map((w) => [w.id, []]))
  for (const edge of graph.edges) next.get(edge.from)?.push(...(behind.get(edge.to) ?? []))
  return next
}

/** What is left when those that depend on nothing left are taken away, again and again: seldom anything. */
function withoutEnds(ids: readonly string[], next: Dependencies): readonly string[] {
  const left = new Map(ids.map((id) => [id, new Set(next.get(id))]))
  const callers = new Map<string, string[]>(ids.map((id) => [id, []]))
  for (const [id, called] of left) for (const to of called) callers.get(to)?.push(id)
  const ends = ids.filter((id) => !left.get(id)?.size)
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    left.delete(end)
    for (const caller of callers.get(end) ?? []) {
      left.get(caller)?.delete(end)
      if (left.get(caller)?.size === 0) ends.push(caller)
    }
  }
  return [...left.keys()]
}

function reaches(from: readonly string[], goal: string, next: Dependencies): boolean {
  const seen = new Set<string>()
  const open = [...from]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === goal) return true
    if (!seen.has(id)) open.push(...(next.get(id) ?? []))
    seen.add(id)
  }
  return false
}

export const serviceRules: readonly Rule[] = [selectsNothing, portMatchesNothing, circular]
