import { WINDOW_MS } from '../compute/usage-meter.js'
import { parseLabelSelector } from '../schema/selectors.js'
import { ApiError } from '../store/api-error.js'
import { timestamp, type StoredObject } from '../store/object.js'
import { type Engine, type PodUsage } from './engine-port.js'
import { json, type Reply } from './reply.js'

const API_VERSION = 'metrics.k8s.io/v1beta1'
const PATH = /^\/apis\/metrics\.k8s\.io\/v1beta1\/(?:namespaces\/([^/]+)\/)?(pods|nodes)(?:\/([^/]+))?$/
const NODE_IDLE_CORES = 0.05
const NODE_IDLE_BYTES = 512 * 1024 * 1024

/** GET of the resource metrics that `kubectl top` reads; null for any other path. Throws ApiError 404. */
export function readMetrics(engine: Engine, path: string, query: URLSearchParams): Reply | null {
  const [, namespace = null, plural, name] = PATH.exec(path) ?? []
  if (plural === undefined) return null
  const kind = plural === 'pods' ? 'PodMetrics' : 'NodeMetrics'
  const found = plural === 'pods' ? podMetrics(engine, namespace) : nodeMetrics(engine)
  if (name === undefined) {
    const matches = parseLabelSelector(query.get('labelSelector') ?? '')
    const items = found.filter(({ metadata }) => matches(metadata.labels))
    return json({ kind: `${kind}List`, apiVersion: API_VERSION, metadata: {}, items })
  }
  const one = found.find(({ metadata }) => metadata.name === name)
  if (!one) throw new ApiError(404, 'NotFound', `${plural}.metrics.k8s.io "${name}" not found`, { name })
  return json({ kind, apiVersion: API_VERSION, ...one })
}

interface Metrics {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> }
  readonly [field: string]: unknown
}

function podMetrics(engine: Engine, namespace: string | null): Metrics[] {
  return engine.store.list('pods', namespace).flatMap((pod) => {
    const usage = engine.usageOf(pod)
    if (!usage) return []
    const containers = usage.containers.map(({ name, cpuCores, memoryBytes }) => ({
      name,
      usage: usageOf(cpuCores, memoryBytes),
    }))
    return [{ ...head(engine, pod, usage.endMs), containers }]
  })
}

function nodeMetrics(engine: Engine): Metrics[] {
  const byNode = Map.groupBy(engine.store.list('pods'), ({ spec }) => (spec as { nodeName?: string }).nodeName ?? '')
  return engine.store.list('nodes').map((node) => {
    const usages = (byNode.get(node.metadata.name) ?? []).map((pod) => engine.usageOf(pod))
    const containers = usages.flatMap((usage: PodUsage | null) => usage?.containers ?? [])
    const cores = containers.reduce((sum, { cpuCores }) => sum + cpuCores, NODE_IDLE_CORES)
    const bytes = containers.reduce((sum, { memoryBytes }) => sum + memoryBytes, NODE_IDLE_BYTES)
    return { ...head(engine, node, engine.kernel.now), usage: usageOf(cores, bytes) }
  })
}

function head(engine: Engine, { metadata }: StoredObject, endMs: number): Metrics {
  const { name, namespace, labels } = metadata
  const creationTimestamp = timestamp(engine.kernel.now)
  return {
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      creationTimestamp,
      ...(labels ? { labels } : {}),
    } as Metrics['metadata'],
    timestamp: timestamp(endMs),
    window: `${WINDOW_MS / 1000}s`,
  }
}

/** As metrics-server writes them: billionths of a core, kibibytes. */
function usageOf(cores: number, bytes: number): { cpu: string; memory: string } {
  const billionths = Math.round(cores * 1e9)
  return { cpu: billionths === 0 ? '0' : `${billionths}n`, memory: `${Math.round(bytes / 1024)}Ki` }
}
