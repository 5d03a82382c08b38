import { type PodUsage } from '../api/engine-port.js'
import { type Kernel } from '../kernel/kernel.js'
import { parseLabelSelector } from '../schema/selectors.js'
import { timestamp, type StoredObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { WINDOW_MS } from './usage-meter.js'

export const METRICS_API = 'metrics.k8s.io/v1beta1'
const PODS = /^\/apis\/metrics\.k8s\.io\/v1beta1\/(?:namespaces\/([^/]+)\/)?pods(?:\?(.*))?$/

/** Whatever has meters. */
interface Metered {
  readonly kernel: Kernel
  readonly store: ObjectStore
  usageOf(pod: StoredObject): PodUsage | null
}

export interface Metrics {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> }
  readonly [field: string]: unknown
}

/** PodMetrics by API path, with `labelSelector`: what programs inside the cluster read. Null for any other path. */
export function readPodMetrics(metered: Metered, path: string): Metrics[] | null {
  const [found, namespace = null, query = ''] = PODS.exec(path) ?? []
  if (found === undefined) return null
  const matches = parseLabelSelector(new URLSearchParams(query).get('labelSelector') ?? '')
  return podMetrics(metered, namespace).filter(({ metadata }) => matches(metadata.labels))
}

/** What the pods of a namespace (null: of all) used. */
export function podMetrics(metered: Metered, namespace: string | null): Metrics[] {
  return metered.store.list('pods', namespace).flatMap((pod) => {
    const usage = metered.usageOf(pod)
    if (!usage) return []
    const containers = usage.containers.map(({ name, cpuCores, memoryBytes }) => ({
      name,
      usage: usageIn(cpuCores, memoryBytes),
    }))
    return [{ ...headOf(metered, pod, usage.endMs), containers }]
  })
}

/** What metrics of any object begin with. */
export function headOf({ kernel }: Pick<Metered, 'kernel'>, { metadata }: StoredObject, endMs: number): Metrics {
  const { name, namespace, labels } = metadata
  const creationTimestamp = timestamp(kernel.now)
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
export function usageIn(cores: number, bytes: number): { cpu: string; memory: string } {
  const billionths = Math.round(cores * 1e9)
  return { cpu: billionths === 0 ? '0' : `${billionths}n`, memory: `${Math.round(bytes / 1024)}Ki` }
}
