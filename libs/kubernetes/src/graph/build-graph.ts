import { type Graph, InputError, type Service, type Workload } from '@ordeal/shared'
import { idOf, type KubernetesObject, nameOf, stringsAt, textAt } from '../input/kubernetes-object.js'
import { type Project, type SourcedObject } from '../input/project.js'
import { entryPointsOf } from './entry-points.js'
import { mentionsIn, type NamedService } from './host-names.js'
import {
  containersOf,
  isWorkload,
  podLabelsOf,
  replicasOf,
  servicePortsOf,
  serviceSelectorOf,
  serves,
  servingContainersOf,
  tellsReadiness,
} from './pod-template.js'
import { settingsOf } from './settings.js'
import { isStateful } from './state.js'

type Edge = Graph['edges'][number]

/**
 * What depends on what, as the manifests show. Read it from the objects as the user wrote them, before credentials are
 * replaced: host names may stand in Secrets. No value of a setting gets into the graph.
 */
export function buildGraph(project: Pick<Project, 'application' | 'objects'>): Graph {
  const objects = project.objects.map((o) => o.object)
  const running = project.objects.filter((o) => isWorkload(o.object))
  const offering = project.objects.filter((o) => o.object.kind === 'Service' && o.object.apiVersion === 'v1')
  const graph = {
    application: project.application,
    workloads: running.map((o) => workloadOf(o, running, objects)),
    services: offering.map((o) => serviceOf(o, running)),
    edges: edgesOf(running, offering, objects),
  }
  return { ...graph, entryPoints: entryPointsOf(graph, objects) }
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

function workloadOf(
  entry: SourcedObject,
  all: readonly SourcedObject[],
  objects: readonly KubernetesObject[],
): Workload {
  const { object } = entry
  return {
    id: idOf(object),
    podLabels: podLabelsOf(object),
    selector: ownLabels(object, all),
    replicas: replicasOf(
      object,
      objects.filter((o) => o.kind === 'HorizontalPodAutoscaler'),
    ),
    stateful: isStateful(object, objects),
    managed: object.kind !== 'Pod',
    readiness: servingContainersOf(object).every(tellsReadiness),
    images: containersOf(object).flatMap((container) => textAt(container, 'image') ?? []),
    source: placeOf(entry),
  }
}

/** The workload's own selector where it is enough to tell its pods from all others, or else every label they carry. */
function ownLabels(object: KubernetesObject, all: readonly SourcedObject[]): Record<string, string> {
  const labels = podLabelsOf(object)
  const selector = stringsAt(object, 'spec', 'selector', 'matchLabels')
  const isSubset = Object.entries(selector).every(([key, value]) => labels[key] === value)
  if (!isSubset || !Object.keys(selector).length) return labels
  const others = all.filter((o) => o.object !== object).map((o) => podLabelsOf(o.object))
  const isEnough = !others.some((other) => Object.entries(selector).every(([key, value]) => other[key] === value))
  return isEnough ? selector : labels
}

function serviceOf(entry: SourcedObject, running: readonly SourcedObject[]): Service {
  const { object } = entry
  return {
    id: idOf(object),
    selector: serviceSelectorOf(object),
    ports: servicePortsOf(object).map(({ port, targetPort }) => ({ port, targetPort })),
    workloads: running.filter((o) => serves(object, o.object)).map((o) => idOf(o.object)),
    source: placeOf(entry),
  }
}

function edgesOf(
  running: readonly SourcedObject[],
  offering: readonly SourcedObject[],
  objects: readonly KubernetesObject[],
): Edge[] {
  const named = new Map<string, NamedService>(
    offering.map(({ object }) => [
      object.metadata.name,
      { name: object.metadata.name, ports: servicePortsOf(object).map((p) => p.port) },
    ]),
  )
  return running.flatMap(({ object }) => {
    const own = new Set(offering.filter((o) => serves(o.object, object)).map((o) => idOf(o.object)))
    return edgesFrom(object, named, objects).filter((edge) => !own.has(edge.to))
  })
}

/** One edge a service, by the surest sign of it. */
function edgesFrom(
  workload: KubernetesObject,
  named: ReadonlyMap<string, NamedService>,
  objects: readonly KubernetesObject[],
): Edge[] {
  const best = new Map<string, Edge>()
  for (const setting of settingsOf(workload, objects)) {
    for (const { service, confidence } of mentionsIn(setting.text, setting.name, named)) {
      const to = `Service/${service}`
      if ((best.get(to)?.confidence ?? 0) >= confidence) continue
      best.set(to, { from: idOf(workload), to, evidence: `${setting.where} names ${nameOf(to)}`, confidence })
    }
  }
  return [...best.values()]
}
