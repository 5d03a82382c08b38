import { type Graph, InputError, type Service, type Workload } from '@ordeal/shared'
import { idOf, type KubernetesObject, nameOf, stringsAt, textAt } from '../input/kubernetes-object.js'
import { type Project, type SourcedObject } from '../input/project.js'
import { entryPointsOf } from './entry-points.js'
import { conventionEdges } from './conventions.js'
import { ingressRoutes } from './ingress-routes.js'
import { LabelIndex } from './label-index.js'
import { mentionsIn, type NamedService } from './host-names.js'
import {
  autoscalersOf,
  containersOf,
  isWorkload,
  podLabelsOf,
  replicasOf,
  servicePortsOf,
  serviceSelectorOf,
  servingContainersOf,
  tellsReadiness,
} from './pod-template.js'
import { bindingOf } from './placement.js'
import { policyEdges } from './policies.js'
import { settingsOf } from './settings.js'
import { isStateful, sharedClaims } from './state.js'

export type Edge = Graph['edges'][number]

/**
 * What depends on what, as the manifests show. Read it from the objects as the user wrote them, before credentials are
 * replaced: host names may stand in Secrets. No value of a setting gets into the graph.
 */
export function buildGraph(project: Pick<Project, 'application' | 'objects'>): Graph {
  const objects = project.objects.map((o) => o.object)
  const running = project.objects.filter((o) => isWorkload(o.object))
  const offering = project.objects.filter((o) => o.object.kind === 'Service' && o.object.apiVersion === 'v1')
  const pods = new LabelIndex(running.map((o) => o.object))
  const scalers = autoscalersOf(objects)
  const shared = sharedClaims(objects)
  const services = offering.map((o) => serviceOf(o, pods))
  const graph = {
    application: project.application,
    workloads: running.map((o) => workloadOf(o, { pods, scalers, shared })),
    services,
    edges: edgesOf(running, services, objects),
  }
  const routes = ingressRoutes(objects, graph)
  return { ...graph, ...(routes.length > 0 && { routes }), entryPoints: entryPointsOf(graph, objects) }
}

/** Throws InputError when the application has no workload, so that there is nothing to put to the test. */
export function requireWorkload(graph: Graph): void {
  if (graph.workloads.length) return
  throw new InputError(
    'there is no workload in the manifests, so there is nothing to test',
    null,
    'Add a Deployment, StatefulSet, DaemonSet, ReplicaSet or Pod (a Job ends by itself and does not count)',
  )
}

const placeOf = ({ source }: SourcedObject): { file: string; line: number } => ({
  file: source.file,
  line: source.line,
})

interface Around {
  readonly pods: LabelIndex
  readonly scalers: ReadonlyMap<string, KubernetesObject>
  readonly shared: ReadonlySet<string>
}

function workloadOf(entry: SourcedObject, { pods, scalers, shared }: Around): Workload {
  const { object } = entry
  return {
    id: idOf(object),
    podLabels: podLabelsOf(object),
    selector: ownLabels(object, pods),
    replicas: replicasOf(object, scalers.get(idOf(object))),
    stateful: isStateful(object, shared),
    managed: object.kind !== 'Pod',
    readiness: servingContainersOf(object).every(tellsReadiness),
    ...(bindingOf(object) && { together: true as const }),
    images: containersOf(object).flatMap((container) => textAt(container, 'image') ?? []),
    source: placeOf(entry),
  }
}

/** The workload's own selector where it is enough to tell its pods from all others, or else every label they carry. */
function ownLabels(object: KubernetesObject, pods: LabelIndex): Record<string, string> {
  const selected = pods.select(stringsAt(object, 'spec', 'selector', 'matchLabels'))
  const isEnough = selected.length === 1 && selected[0] === object
  return isEnough ? stringsAt(object, 'spec', 'selector', 'matchLabels') : podLabelsOf(object)
}

function serviceOf(entry: SourcedObject, pods: LabelIndex): Service {
  const { object } = entry
  return {
    id: idOf(object),
    selector: serviceSelectorOf(object),
    ports: servicePortsOf(object).map(({ port, targetPort, protocol }) => ({
      ...{ port, targetPort },
      ...(protocol === 'UDP' || protocol === 'SCTP' ? { protocol } : {}),
    })),
    workloads: pods.select(serviceSelectorOf(object)).map(idOf),
    source: placeOf(entry),
  }
}

function edgesOf(
  running: readonly SourcedObject[],
  services: readonly Service[],
  objects: readonly KubernetesObject[],
): Edge[] {
  const byId = new Map(objects.map((o) => [idOf(o), o]))
  const named = new Map<string, NamedService>(
    services.map((s) => [nameOf(s.id), { name: nameOf(s.id), ports: s.ports.map((p) => p.port) }]),
  )
  const own = new Set(services.flatMap((s) => s.workloads.map((workload) => `${workload} ${s.id}`)))
  const seen = running.flatMap(({ object }) => edgesFrom(object, named, byId))
  const workloads = running.map(({ object }) => object)
  const likely = [...policyEdges(objects, services), ...conventionEdges({ workloads, services, seen })]
  return surest([...seen, ...likely].filter((edge) => !own.has(`${edge.from} ${edge.to}`)))
}

/** What a workload's settings name. */
function edgesFrom(
  workload: KubernetesObject,
  named: ReadonlyMap<string, NamedService>,
  byId: ReadonlyMap<string, KubernetesObject>,
): Edge[] {
  return settingsOf(workload, byId).flatMap((setting) =>
    mentionsIn(setting.text, setting.name, named).map(({ service, confidence }) => ({
      from: idOf(workload),
      to: `Service/${service}`,
      evidence: `${setting.where} names ${service}`,
      confidence,
    })),
  )
}

/** One edge between a workload and a service, by the surest sign of it; of equal signs by the first. */
function surest(edges: readonly Edge[]): Edge[] {
  const best = new Map<string, Edge>()
  for (const edge of edges) {
    const key = `${edge.from} ${edge.to}`
    if ((best.get(key)?.confidence ?? 0) < edge.confidence) best.set(key, edge)
  }
  return [...best.values()]
}
