import { type ProberConfig } from '@ordeal/prober'
import { type Targets } from './targets.js'

/** Requests per second straight to a pod: enough to see an effect, too few to be a load. */
const RATE = 5
const TIMEOUT_MS = 2000

export const effectProbeId = (fault: string, pod: string): string => `effect/${fault}/${pod}`

/** Probes that show a network fault at its targets themselves, past every service. */
export function effectProbes(targets: readonly Targets[]): ProberConfig['probes'] {
  return targets
    .filter(({ fault }) => fault.kind === 'NetworkChaos')
    .flatMap(({ fault, pods }) =>
      pods.flatMap((pod) => {
        const port = pod.spec.containers.flatMap((c) => c.ports ?? [])[0]?.containerPort
        const ip = pod.status?.podIP
        if (port === undefined || ip === undefined) return []
        const id = effectProbeId(fault.id, pod.metadata.name)
        return [{ id, kind: 'http' as const, url: `http://${ip}:${port}/`, ratePerSecond: RATE, timeoutMs: TIMEOUT_MS }]
      }),
    )
}
