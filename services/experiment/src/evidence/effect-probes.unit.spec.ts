import { type Pod } from '@ordeal/kubernetes'
import { type Fault, type Graph } from '@ordeal/shared'
import { faultOn, deploymentApp } from '../testing/applications.js'
import { effectProbes } from './effect-probes.js'
import { type Targets } from '../run/targets.js'

const app = deploymentApp('front', 1)
const pod = (ports: { containerPort: number }[], podIP: string | undefined = '10.0.0.7'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'front-1', labels: { app: 'front' } },
  spec: { containers: [{ name: 'web', ports }] },
  status: { podIP },
})
const targets = (target: Pod, fault: Partial<Fault>): Targets[] => [
  { fault: faultOn(app, fault), pods: [target], expected: 1, size: 1, components: [] },
]
const delay: Partial<Fault> = { kind: 'NetworkChaos', action: 'delay', parameters: { latencyMs: 100 } }
const cut: Partial<Fault> = { kind: 'NetworkChaos', action: 'partition', parameters: { direction: 'both' } }
const busy: Partial<Fault> = { kind: 'StressChaos', action: 'cpu-and-memory' }
const nowhere = () => null
const probesOf = (list: Targets[], graph: Graph = app.graph) => effectProbes(list, graph, nowhere)
const urls = (probes: ReturnType<typeof probesOf>['prober']) =>
  probes.map((p) => [p.id, p.kind === 'http' ? p.url : null])

describe('effectProbes', () => {
  it('asks each target of a network fault straight at a port that it declares', () => {
    const { prober, witness } = probesOf(targets(pod([{ containerPort: 3000 }]), delay))
    expect(urls(prober)).toEqual([['effect/f1/front-1', 'http://10.0.0.7:3000/']])
    expect(witness).toEqual([])
  })
  it('takes the port of a service where the pod declares none', () => {
    expect(urls(probesOf(targets(pod([]), delay)).prober)).toEqual([['effect/f1/front-1', 'http://10.0.0.7:8080/']])
  })
  it('lets the witness ask where a fault has another side', () => {
    const { prober, witness } = probesOf(targets(pod([]), cut))
    expect(prober).toEqual([])
    expect(urls(witness)).toEqual([['effect/f1/front-1', 'http://10.0.0.7:8080/']])
  })
  it('asks what an HTTP fault means, and looks at the answers', () => {
    const parameters = { side: 'response' as const, port: 9000, path: '/api/*', requestHeaders: { a: 'b' } }
    const [probe] = probesOf(targets(pod([]), { kind: 'HTTPChaos', action: 'abort', parameters })).prober
    expect(probe).toMatchObject({ url: 'http://10.0.0.7:9000/api/', headers: { a: 'b' }, look: true })
    const post = { ...parameters, method: 'POST' as const }
    expect(probesOf(targets(pod([]), { kind: 'HTTPChaos', action: 'abort', parameters: post })).prober).toEqual([])
  })
  it('reads what a pod under stress uses, where the cluster tells', () => {
    const { prober } = effectProbes(targets(pod([]), busy), app.graph, ({ app: name }) => `/metrics?${name}`)
    expect(prober.filter((p) => p.kind === 'load')).toEqual(
      ['cpu', 'memory'].map((resource) => ({
        ...{ id: `load/f1/front-1/${resource}`, kind: 'load', path: '/metrics?front', pod: 'front-1', resource },
        periodMs: 5000,
      })),
    )
    expect(probesOf(targets(pod([]), busy)).prober.map((p) => p.kind)).toEqual(['http'])
  })
  it('asks nobody about faults that show at the pod itself, nor a pod without an address or a port', () => {
    expect(probesOf(targets(pod([]), {})).prober).toEqual([])
    expect(probesOf(targets({ ...pod([]), status: {} }, delay)).prober).toEqual([])
    expect(probesOf(targets(pod([]), delay), { ...app.graph, services: [] }).prober).toEqual([])
  })
})
