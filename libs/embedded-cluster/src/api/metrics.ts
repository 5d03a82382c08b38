import { headOf, METRICS_API, type Metrics, podMetrics, usageIn } from '../compute/pod-metrics.js'
import { parseLabelSelector } from '../schema/selectors.js'
import { ApiError } from '../store/api-error.js'
import { type Engine, type PodUsage } from './engine-port.js'
import { json, type Reply } from './reply.js'

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
    return json({ kind: `${kind}List`, apiVersion: METRICS_API, metadata: {}, items })
  }
  const one = found.find(({ metadata }) => metadata.name === name)
  if (!one) throw new ApiError(404, 'NotFound', `${plural}.metrics.k8s.io "${name}" not found`, { name })
  return json({ kind, apiVersion: METRICS_API, ...one })
}

function nodeMetrics(engine: Engine): Metrics[] {
  const byNode = Map.groupBy(engine.store.list('pods'), ({ spec }) => (spec as { nodeName?: string }).nodeName ?? '')
  return engine.store.list('nodes').map((node) => {
    const usages = (byNode.get(node.metadata.name) ?? []).map((pod) => engine.usageOf(pod))
    const containers = usages.flatMap((usage: PodUsage | null) => usage?.containers ?? [])
    const cores = containers.reduce((sum, { cpuCores }) => sum + cpuCores, NODE_IDLE_CORES)
    const bytes = containers.reduce((sum, { memoryBytes }) => sum + memoryBytes, NODE_IDLE_BYTES)
    return { ...headOf(engine, node, engine.kernel.now), usage: usageIn(cores, bytes) }
  })
}
