import { hasOtherSide, selects, type Pod } from '@ordeal/kubernetes'
import { type ProberConfig } from '@ordeal/prober'
import { type Fault, type FaultOf, type Graph } from '@ordeal/shared'
import { type Targets } from '../run/targets.js'

type Probes = ProberConfig['probes']
type Probe = Probes[number]

/** Requests per second straight to a pod: enough to see an effect, too few to be a load. */
const RATE = 5
const TIMEOUT_MS = 2000
/** The metrics API has new figures every ten to sixty seconds. */
const LOAD_PERIOD_MS = 5000

export const effectProbeId = (fault: string, pod: string): string => `effect/${fault}/${pod}`
export const loadProbeId = (fault: string, pod: string, resource: 'cpu' | 'memory'): string =>
  `load/${fault}/${pod}/${resource}`

/** Who looks at the targets of faults, and at what. */
export interface EffectProbes {
  /** From outside of every fault. */
  readonly prober: Probes
  /** From a pod that is on the other side of faults which have one. */
  readonly witness: Probes
}

/** API path of the figures of the pods that a selector means; null where the cluster has none. */
export type LoadPath = (selector: Record<string, string>) => string | null

/** Probes that show a fault at its targets themselves, past every service. */
export function effectProbes(targets: readonly Targets[], graph: Graph, loadPath: LoadPath): EffectProbes {
  const seen = targets.map(({ fault, pods }) => ({
    besides: fault.kind === 'NetworkChaos' && hasOtherSide(fault),
    probes: pods.flatMap((pod) => [...answerProbes(fault, pod, graph), ...loadProbes(fault, pod, loadPath)]),
  }))
  return {
    prober: seen.flatMap(({ besides, probes }) => (besides ? [] : probes)),
    witness: seen.flatMap(({ besides, probes }) => (besides ? probes : [])),
  }
}

function answerProbes(fault: Fault, pod: Pod, graph: Graph): Probe[] {
  const ip = pod.status?.podIP
  if (ip === undefined || fault.kind === 'PodChaos') return []
  const asked = fault.kind === 'HTTPChaos' ? askedBy(fault) : { port: portOf(pod, graph), path: '/' }
  if (asked?.port === undefined) return []
  const { port, path, headers } = asked
  return [
    {
      id: effectProbeId(fault.id, pod.metadata.name),
      kind: 'http',
      url: `http://${ip}:${port}${path}`,
      ratePerSecond: RATE,
      timeoutMs: TIMEOUT_MS,
      ...(headers ? { headers } : {}),
      ...(fault.kind === 'NetworkChaos' ? {} : { look: true }),
    },
  ]
}

interface Asked {
  readonly port: number | undefined
  readonly path: string
  readonly headers?: Record<string, string>
}

/** A request that the fault means; null for those that a prober must not send, or cannot. */
function askedBy({ parameters }: FaultOf<'HTTPChaos'>): Asked | null {
  const { port, path = '/', method = 'GET', requestHeaders: headers, tls } = parameters
  if (method !== 'GET' || tls) return null
  // The beginning of a pattern fits it wherever its rest may be nothing.
  const plain = path.replace(/[*?].*$/, '')
  return { port, path: plain.startsWith('/') ? plain : `/${plain}`, ...(headers ? { headers } : {}) }
}

function loadProbes(fault: Fault, pod: Pod, loadPath: LoadPath): Probe[] {
  const path = fault.kind === 'StressChaos' ? loadPath(fault.target.selector) : null
  if (path === null) return []
  const { name } = pod.metadata
  return resourcesOf(fault).map((resource) => ({
    id: loadProbeId(fault.id, name, resource),
    ...{ kind: 'load', path, pod: name, resource, periodMs: LOAD_PERIOD_MS },
  }))
}

/** Which figures a fault moves. */
export function resourcesOf(fault: Fault): ('cpu' | 'memory')[] {
  if (fault.kind !== 'StressChaos') return []
  if (fault.action === 'cpu') return ['cpu']
  return fault.action === 'memory' ? ['memory'] : ['cpu', 'memory']
}

/** A port on which the pod answers, as it declares itself or as a service takes for granted. */
function portOf(pod: Pod, { services }: Graph): number | undefined {
  const labels = pod.metadata.labels ?? {}
  const behind = services.filter((s) => selects(s.selector, labels)).flatMap((s) => s.ports.map((p) => p.targetPort))
  const declared = pod.spec.containers.flatMap((c) => c.ports ?? []).map((p) => p.containerPort)
  return [...declared, ...behind].find((port) => typeof port === 'number')
}
