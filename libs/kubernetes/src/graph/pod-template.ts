import {
  type JsonMap,
  type KubernetesObject,
  mapAt,
  mapsAt,
  numberAt,
  stringsAt,
  textAt,
} from '../input/kubernetes-object.js'

/** Kinds whose pods serve until they are told to stop. Jobs end by themselves and so are no target of a fault. */
const KEPT_RUNNING = ['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet', 'ReplicationController']

/** Kinds that run pods at all. */
const TEMPLATE_PATHS: Record<string, string[]> = {
  Pod: [],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
  ...Object.fromEntries(KEPT_RUNNING.map((kind) => [kind, ['spec', 'template']])),
}

export const isWorkload = (object: KubernetesObject): boolean =>
  object.kind === 'Pod' || KEPT_RUNNING.includes(object.kind)

/** The path from an object to its pod template (metadata and spec); null for a kind that runs no pods. */
export const templatePathOf = (object: KubernetesObject): string[] | null => TEMPLATE_PATHS[object.kind] ?? null

const templateOf = (object: KubernetesObject): JsonMap => mapAt(object, ...(templatePathOf(object) ?? ['-']))

export const podSpecOf = (object: KubernetesObject): JsonMap => mapAt(templateOf(object), 'spec')

/** The path from an object to the specification of its pods. */
export const podSpecPath = (object: KubernetesObject): string[] => [...(templatePathOf(object) ?? []), 'spec']

export const podLabelsOf = (object: KubernetesObject): Record<string, string> =>
  stringsAt(templateOf(object), 'metadata', 'labels')

export const containersOf = (object: KubernetesObject): JsonMap[] => mapsAt(podSpecOf(object), 'containers')

/** The containers that serve: those with ports, or all where none names a port. */
export function servingContainersOf(object: KubernetesObject): JsonMap[] {
  const all = containersOf(object)
  const withPorts = all.filter((container) => mapsAt(container, 'ports').length)
  return withPorts.length ? withPorts : all
}

/** A container counts as ready only after its start-up probe and while its readiness probe succeeds. */
export const tellsReadiness = (container: JsonMap): boolean =>
  Boolean(container.readinessProbe ?? container.startupProbe)

/** How many pods a workload asks for. One for a DaemonSet, whose number is that of the nodes. */
export function replicasOf(object: KubernetesObject, autoscaler?: KubernetesObject): number {
  if (object.kind === 'Pod' || object.kind === 'DaemonSet') return 1
  const asked = numberAt(mapAt(object, 'spec'), 'replicas') ?? 1
  return autoscaler ? Math.max(asked, numberAt(mapAt(autoscaler, 'spec'), 'minReplicas') ?? 1) : asked
}

/** The autoscalers among objects by the id of what each scales. */
export const autoscalersOf = (objects: readonly KubernetesObject[]): Map<string, KubernetesObject> =>
  new Map(
    objects
      .filter((o) => o.kind === 'HorizontalPodAutoscaler')
      .map((o) => {
        const target = mapAt(o, 'spec', 'scaleTargetRef')
        return [`${textAt(target, 'kind')}/${textAt(target, 'name')}`, o]
      }),
  )

export interface ServicePort {
  readonly port: number
  readonly targetPort: number | string
  readonly protocol: string
}

export const servicePortsOf = (service: KubernetesObject): ServicePort[] =>
  mapsAt(mapAt(service, 'spec'), 'ports').flatMap((entry) => {
    const port = numberAt(entry, 'port')
    if (port === null) return []
    const targetPort = numberAt(entry, 'targetPort') ?? textAt(entry, 'targetPort') ?? port
    return [{ port, targetPort, protocol: textAt(entry, 'protocol') ?? 'TCP' }]
  })

export const serviceSelectorOf = (service: KubernetesObject): Record<string, string> =>
  stringsAt(service, 'spec', 'selector')
