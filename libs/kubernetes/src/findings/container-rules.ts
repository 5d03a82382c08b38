import { podSpecOf, podSpecPath } from '../graph/pod-template.js'
import { type JsonMap, mapAt, mapsAt, textAt } from '../input/kubernetes-object.js'
import { quantityOrNull } from '../input/quantity.js'
import { heapOf } from './heap-settings.js'
import { containerName, containerRule, type Rule, type Weakness, workloadRule } from './rule.js'

const noRequests = containerRule(
  {
    id: 'ORD023-no-requests',
    severity: 'warning',
    why: 'Such pods are the first to be evicted, and crowd each other on a node.',
    proof: 'Press the memory of its node: its pods go first.',
  },
  (container, path, { object }) => {
    const { requests, limits } = mapAt(container, 'resources')
    const asked = { ...mapAt({ limits: limits ?? {} }, 'limits'), ...mapAt({ requests: requests ?? {} }, 'requests') }
    const missing = ['cpu', 'memory'].filter((resource) => asked[resource] === undefined)
    if (!missing.length) return []
    const message = `Container ${containerName(container)} requests no ${missing.join(' and no ')}.`
    return [{ object, path: container.resources ? [...path, 'resources'] : path, message }]
  },
)

const noMemoryLimit = containerRule(
  {
    id: 'ORD024-no-memory-limit',
    severity: 'note',
    why: 'A leak takes the memory of the whole node.',
    proof: 'Let it allocate memory without end: its neighbours are evicted.',
  },
  (container, path, { object }) => {
    if (mapAt(container, 'resources', 'limits').memory !== undefined) return []
    return [{ object, path, message: `Container ${containerName(container)} has no memory limit.` }]
  },
)

const mutableTag = containerRule(
  {
    id: 'ORD025-mutable-tag',
    severity: 'note',
    why: 'A restarted pod may run another version than its siblings.',
    proof: 'Push another image under the tag, then kill a pod.',
  },
  (container, path, { object }) => {
    const image = textAt(container, 'image') ?? ''
    const tag = /:([^/:@]+)$/.exec(image)?.[1] ?? null
    if (!image || image.includes('@') || /\d+\.\d+\.\d+|[0-9a-f]{7,}/.test(tag ?? '')) return []
    const isFloating = tag === null || tag === 'latest'
    const message = `The image ${image} can change under its tag: name a full version or a digest.`
    return [{ object, path: [...path, 'image'], message, severity: isFloating ? 'warning' : 'note' }]
  },
)

const hostPath = workloadRule(
  {
    id: 'ORD026-host-path',
    severity: 'warning',
    why: 'A pod that is moved finds another node without its files.',
    proof: 'Drain the node that holds its pod.',
  },
  (object) =>
    mapsAt(podSpecOf(object), 'volumes').flatMap((volume, index): Weakness[] => {
      if (!volume.hostPath) return []
      const path = [...podSpecPath(object), 'volumes', index, 'hostPath']
      const message = `Volume ${containerName(volume)} is a folder of the node: a pod that moves does not find its files.`
      return [{ object, path, message, severity: object.kind === 'DaemonSet' ? 'note' : 'warning' }]
    }),
)

const limitBelowRequest = containerRule(
  {
    id: 'ORD029-limit-below-request',
    severity: 'error',
    why: 'Kubernetes refuses a container that may use less than it is promised.',
    proof: 'Apply it: the API server refuses its pods.',
  },
  (container, path, { object }) =>
    ['cpu', 'memory'].flatMap((resource): Weakness[] => {
      const [request, limit] = [amount(container, 'requests', resource), amount(container, 'limits', resource)]
      if (request === null || limit === null || limit >= request) return []
      const message = `Container ${containerName(container)} may use less ${resource} than it requests.`
      return [{ object, path: [...path, 'resources', 'limits', resource], message }]
    }),
)

function amount(container: JsonMap, of: 'requests' | 'limits', resource: string): number | null {
  const value = mapAt(container, 'resources', of)[resource]
  return typeof value === 'number' || typeof value === 'string' ? quantityOrNull(value) : null
}

const heapBeyondLimit = containerRule(
  {
    id: 'ORD031-heap-beyond-limit',
    severity: 'warning',
    why: 'Under load the process takes the memory it was told it has, and is killed for it.',
    proof: 'Send it load until its heap is full: it is killed (OOMKilled) instead of collecting garbage.',
  },
  (container, path, { object }) => {
    const limit = amount(container, 'limits', 'memory')
    const heap = heapOf(container)
    if (limit === null || heap === null || heap.bytes < limit) return []
    const message = `Container ${containerName(container)} is told to use ${heap.setting}, but is killed at its memory limit.`
    return [{ object, path: [...path, 'resources', 'limits', 'memory'], message }]
  },
)

export const containerRules: readonly Rule[] = [
  noRequests,
  noMemoryLimit,
  mutableTag,
  hostPath,
  limitBelowRequest,
  heapBeyondLimit,
]
