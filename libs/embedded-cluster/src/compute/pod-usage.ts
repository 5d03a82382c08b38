import { type PodUsage } from '../api/engine-port.js'
import { type PodWorker } from '../kubelet/pod-worker.js'

/** Reads the meters of a pod's running containers; null before their first window is over, and when none runs. */
export function podUsage(worker: PodWorker | undefined): PodUsage | null {
  const containers: PodUsage['containers'][number][] = []
  let endMs = 0
  for (const { spec, compute } of worker?.all ?? []) {
    if (!compute) continue
    const { now } = worker?.kernel ?? { now: 0 }
    const cpuCores = compute.cpu.mean(now)
    if (cpuCores === null) return null
    containers.push({ name: spec.name, cpuCores, memoryBytes: compute.memory })
    endMs = Math.max(endMs, compute.cpu.endOfWindow(now))
  }
  return containers.length === 0 ? null : { containers, endMs }
}
