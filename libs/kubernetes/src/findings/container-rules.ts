import { podSpecOf, scales, servingContainersOf, templatePathOf } from '../graph/pod-template.js'
import { type JsonMap, type KubernetesObject, mapAt, mapsAt, numberAt, textAt } from '../input/kubernetes-object.js'
import { type Path, type Rule, type Weakness, workloadRule } from './rule.js'

/** Every container of a workload with its path. */
function eachContainer(object: KubernetesObject, find: (container: JsonMap, path: Path) => Weakness[]): Weakness[] {
  const base = [...(templatePathOf(object) ?? []), 'spec', 'containers']
  return mapsAt(podSpecOf(object), 'containers').flatMap((container, index) => find(container, [...base, index]))
}

const nameOf = (container: JsonMap): string => textAt(container, 'name') ?? '?'

const noReadiness = workloadRule(
  { id: 'ORD020-no-readiness-probe', severity: 'warning', why: 'A new pod is sent traffic before it can answer.' },
  (object, workload, application) => {
    if (!application.served.has(workload.id)) return []
    const serving = servingContainersOf(object)
    return eachContainer(object, (container, path) => {
      if (!serving.includes(container) || container.readinessProbe) return []
      const message = `Container ${nameOf(container)} has no readiness probe: it is sent traffic before it can answer.`
      return [{ object, path, message, severity: container.startupProbe ? 'note' : 'warning' }]
    })
  },
)

const noLiveness = workloadRule(
  { id: 'ORD021-no-liveness-probe', severity: 'note', why: 'A pod that hangs is never restarted.' },
  (object, workload, application) => {
    if (!application.served.has(workload.id)) return []
    const serving = servingContainersOf(object)
    return eachContainer(object, (container, path) => {
      if (!serving.includes(container) || container.livenessProbe) return []
      return [
        {
          object,
          path,
          message: `Container ${nameOf(container)} has no liveness probe: it is not restarted when it hangs.`,
        },
      ]
    })
  },
)

/** Seconds of trouble that a liveness probe should bear: shorter ones pass by themselves. */
const MIN_PATIENCE_S = 5

const eagerLiveness = workloadRule(
  {
    id: 'ORD022-eager-liveness',
    severity: 'warning',
    why: 'A slow moment becomes a wave of restarts that outlasts it.',
  },
  (object) =>
    eachContainer(object, (container, path) => {
      const probe = mapAt(container, 'livenessProbe')
      if (!container.livenessProbe) return []
      const failures = numberAt(probe, 'failureThreshold') ?? 3
      const patience = failures * (numberAt(probe, 'periodSeconds') ?? 10)
      if (failures > 1 && patience >= MIN_PATIENCE_S) return []
      const after = failures === 1 ? 'a single failed probe' : `${patience} s of failed probes`
      return [
        {
          object,
          path: [...path, 'livenessProbe'],
          message: `Container ${nameOf(container)} is restarted after ${after}.`,
        },
      ]
    }),
)

const noRequests = workloadRule(
  {
    id: 'ORD023-no-requests',
    severity: 'warning',
    why: 'Such pods are the first to be evicted, and crowd each other on a node.',
  },
  (object) =>
    eachContainer(object, (container, path) => {
      const { requests, limits } = mapAt(container, 'resources')
      const asked = { ...mapAt({ limits: limits ?? {} }, 'limits'), ...mapAt({ requests: requests ?? {} }, 'requests') }
      const missing = ['cpu', 'memory'].filter((resource) => asked[resource] === undefined)
      if (!missing.length) return []
      const message = `Container ${nameOf(container)} requests no ${missing.join(' and no ')}.`
      return [{ object, path: container.resources ? [...path, 'resources'] : path, message }]
    }),
)

const noMemoryLimit = workloadRule(
  { id: 'ORD024-no-memory-limit', severity: 'note', why: 'A leak takes the memory of the whole node.' },
  (object) =>
    eachContainer(object, (container, path) => {
      if (mapAt(container, 'resources', 'limits').memory !== undefined) return []
      return [{ object, path, message: `Container ${nameOf(container)} has no memory limit.` }]
    }),
)

const mutableTag = workloadRule(
  { id: 'ORD025-mutable-tag', severity: 'note', why: 'A restarted pod may run another version than its siblings.' },
  (object) =>
    eachContainer(object, (container, path) => {
      const image = textAt(container, 'image') ?? ''
      const tag = /:([^/:@]+)$/.exec(image)?.[1] ?? null
      if (!image || image.includes('@') || /\d+\.\d+\.\d+|[0-9a-f]{7,}/.test(tag ?? '')) return []
      const isFloating = tag === null || tag === 'latest'
      const message = `The image ${image} can change under its tag: name a full version or a digest.`
      return [{ object, path: [...path, 'image'], message, severity: isFloating ? 'warning' : 'note' }]
    }),
)

const hostPath = workloadRule(
  { id: 'ORD026-host-path', severity: 'warning', why: 'A pod that is moved finds another node without its files.' },
  (object) =>
    mapsAt(podSpecOf(object), 'volumes').flatMap((volume, index): Weakness[] => {
      if (!volume.hostPath) return []
      const path = [...(templatePathOf(object) ?? []), 'spec', 'volumes', index, 'hostPath']
      const message = `Volume ${nameOf(volume)} is a folder of the node: a pod that moves does not find its files.`
      return [{ object, path, message, severity: object.kind === 'DaemonSet' ? 'note' : 'warning' }]
    }),
)

const autoscalerRequests = workloadRule(
  {
    id: 'ORD027-autoscaler-without-requests',
    severity: 'warning',
    why: 'Without requests there is no utilisation to scale by.',
  },
  (object, _, { objects }) => {
    const scaler = objects.find((o) => o.kind === 'HorizontalPodAutoscaler' && scales(o, object))
    const isRequested = mapsAt(podSpecOf(object), 'containers').every(
      (c) => mapAt(c, 'resources').requests ?? mapAt(c, 'resources').limits,
    )
    if (!scaler || isRequested) return []
    return [
      {
        object: scaler,
        path: ['spec'],
        message: `${object.kind}/${object.metadata.name} requests nothing, so it cannot be scaled by utilisation.`,
      },
    ]
  },
)

export const containerRules: readonly Rule[] = [
  noReadiness,
  noLiveness,
  eagerLiveness,
  noRequests,
  noMemoryLimit,
  mutableTag,
  hostPath,
  autoscalerRequests,
]
