import { type ProberConfig } from '@ordeal/prober'
import { type Probe, type SteadyStateDraft } from '@ordeal/shared'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { entranceOf } from './doors.js'
import { ProberLostError } from './prober-pod.js'

type ProbeConfig = ProberConfig['probes'][number]

type HttpProbe = Extract<Probe, { kind: 'http' }>
type Probed = Pick<SteadyStateDraft, 'id' | 'probe'>

/** What the prober is told to measure for each steady state; its samples carry the steady state's id. */
export const probesOf = (sandbox: Sandbox, states: readonly Probed[]): Promise<ProbeConfig[]> =>
  Promise.all(states.map((state) => probeOf(sandbox, state)))

async function probeOf(sandbox: Sandbox, { id, probe }: Probed): Promise<ProbeConfig> {
  const { cluster, namespace } = sandbox
  if (probe.kind === 'http') return httpProbe(sandbox, id, probe)
  if (probe.kind === 'script') {
    const { code, service, port, prometheusUrl, periodMs, timeoutMs } = probe
    const url = `http://${service}.${namespace}.svc.cluster.local:${port}`
    const podsPath = await cluster.objects.path({ apiVersion: 'v1', kind: 'Pod', namespace })
    return { id, kind: 'script', code, url, podsPath, prometheusUrl, periodMs, timeoutMs }
  }
  const { selector, minReady, periodMs } = probe
  const path = await cluster.objects.path({ apiVersion: 'v1', kind: 'Pod', namespace, labels: selector })
  return { id, kind: 'k8s', path, minReady, periodMs }
}

async function httpProbe(sandbox: Sandbox, id: string, probe: HttpProbe): Promise<ProbeConfig> {
  const { service, port, path, through, ratePerSecond, timeoutMs } = probe
  const common = { id, kind: 'http', ratePerSecond, timeoutMs } as const
  if (!through) return { ...common, url: `http://${service}.${sandbox.namespace}.svc.cluster.local:${port}${path}` }
  const entrance = await entranceOf(sandbox, through)
  if (!entrance) throw new ProberLostError(`no ingress controller serves ${through.ingress} any more`)
  return { ...common, url: `${entrance.url}${path}`, headers: { host: entrance.host } }
}

/** Ms between two samples of a probe. */
export const periodOf = ({ probe }: Pick<SteadyStateDraft, 'probe'>): number =>
  probe.kind === 'http' ? 1000 / probe.ratePerSecond : probe.periodMs

/** By then the answer to a sample that was due has come, or its failure is written. */
const WRITE_MS = 100
export const lastWordAfter = (states: readonly Pick<SteadyStateDraft, 'probe'>[]): number =>
  WRITE_MS +
  Math.max(...states.map(({ probe }) => (probe.kind === 'k8s' ? Math.max(1000, probe.periodMs) : probe.timeoutMs)))
