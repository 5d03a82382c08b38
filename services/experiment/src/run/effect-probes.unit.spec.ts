import { type Pod } from '@ordeal/kubernetes'
import { type Graph } from '@ordeal/shared'
import { faultOn, deploymentApp } from '../testing/applications.js'
import { effectProbes } from './effect-probes.js'
import { type Targets } from './targets.js'

const app = deploymentApp('front', 1)
const pod = (ports: { containerPort: number }[], podIP: string | undefined = '10.0.0.7'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'front-1', labels: { app: 'front' } },
  spec: { containers: [{ name: 'web', ports }] },
  status: { podIP },
})
const targets = (target: Pod, kind: 'PodChaos' | 'NetworkChaos' = 'NetworkChaos'): Targets[] => [
  { fault: { ...faultOn(app), kind } as Targets['fault'], pods: [target], expected: 1, components: [] },
]
const urls = (list: Targets[], graph: Graph = app.graph) =>
  effectProbes(list, graph).map((p) => [p.id, p.kind === 'http' ? p.url : null])

describe('effectProbes', () => {
  it('asks each target of a network fault straight at a port that it declares', () => {
    expect(urls(targets(pod([{ containerPort: 3000 }])))).toEqual([['effect/f1/front-1', 'http://10.0.0.7:3000/']])
  })
  it('takes the port of a service where the pod declares none', () => {
    expect(urls(targets(pod([])))).toEqual([['effect/f1/front-1', 'http://10.0.0.7:8080/']])
  })
  it('asks nobody about faults that show at the pod itself, nor a pod without an address or a port', () => {
    expect(urls(targets(pod([]), 'PodChaos'))).toEqual([])
    const unaddressed = { ...pod([]), status: {} }
    expect(urls(targets(unaddressed))).toEqual([])
    expect(urls(targets(pod([])), { ...app.graph, services: [] })).toEqual([])
  })
})
