import { selects, type Pod } from '@ordeal/kubernetes'
import { type ProberConfig } from '@ordeal/prober'
import { type Graph } from '@ordeal/shared'
import { type Targets } from './targets.js'

/** Requests per second straight to a pod: enough to see an effect, too few to be a load. */
const RATE = 5
const TIMEOUT_MS = 2000

export const effectProbeId = (fault: string, pod: string): string => `effect/${fault}/${pod}`

/** Probes that show a network fault at its targets themselves, past every service. */
export function effectProbes(targets: readonly Targets[], graph: Graph): ProberConfig['probes'] {
  return targets
    .filter(({ fault }) => fault.kind === 'NetworkChaos')
    .flatMap(({ fault, pods }) =>
      pods.flatMap((pod) => {
        const port = portOf(pod, graph)
        const ip = pod.status?.podIP
        if (port === undefined || ip === undefined) return []
        const id = effectProbeId(fault.id, pod.metadata.name)
        return [{ id, kind: 'http' as const, url: `http://${ip}:${port}/`, ratePerSecond: RATE, timeoutMs: TIMEOUT_MS }]
      }),
    )
}

/** A port on which the pod answers, as it declares itself or as a service takes for granted. */
function portOf(pod: Pod, { services }: Graph): number | undefined {
  const labels = pod.metadata.labels ?? {}
  const behind = services.filter((s) => selects(s.selector, labels)).flatMap((s) => s.ports.map((p) => p.targetPort))
  const declared = pod.spec.containers.flatMap((c) => c.ports ?? []).map((p) => p.containerPort)
  return [...declared, ...behind].find((port) => typeof port === 'number')
}
