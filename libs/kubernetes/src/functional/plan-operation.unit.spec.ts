import { type FaultOf } from '@ordeal/shared'
import { type ClusterObject, type Pod } from '../cluster/object.js'
import { planOperation, type Scene } from './plan-operation.js'

type Fault = FaultOf<'Functional'>

const target = { component: 'Deployment/web', selector: { app: 'web' }, mode: 'all' as const, count: null }

function fault<A extends Fault['action']>(action: A, parameters: object = {}): Fault {
  return { id: 'f1', kind: 'Functional', action, parameters, target, durationMs: 60_000 } as Fault
}

const containers = [
  {
    name: 'web',
    image: 'web:1',
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
    readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 3 },
  },
]
const workload: ClusterObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'sandbox' },
  spec: { replicas: 3, template: { metadata: { labels: { app: 'web' } }, spec: { containers } } },
}
const service = (name: string, selector: object): ClusterObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'sandbox' },
  spec: { selector, ports: [{ port: 80, targetPort: 8080 }] },
})
const pod = (name: string, nodeName: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'sandbox', labels: { app: 'web' } },
  spec: { nodeName, containers: [] },
})

function scene(more: Partial<Scene> = {}): Scene {
  return {
    workload,
    services: [service('web', { app: 'web' }), service('other', { app: 'other' })],
    pods: [pod('web-1', 'node-2'), pod('web-2', 'node-1'), pod('web-3', 'node-2')],
    podCount: 7,
    name: 'cycle-r0-f1',
    namespace: 'sandbox',
    labels: { of: 'ordeal' },
    loadPod: (url, rate) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'load' }, url, rate }),
    ...more,
  }
}

const plan = (action: Fault['action'], parameters: object = {}, more: Partial<Scene> = {}) =>
  planOperation(fault(action, parameters), scene(more))
const patches = (list: readonly { do: string }[]) => list.map((write) => (write as { patch?: object }).patch)
const containerAfter = (action: Fault['action'], parameters: object = {}) =>
  (patches(plan(action, parameters).writes)[0] as { spec: { template: { spec: { containers: object[] } } } }).spec
    .template.spec.containers[0]

describe('a functional fault', () => {
  it('sends the traffic of the services that select the component to a port where nobody listens', () => {
    const { writes, undo, what } = plan('wrong-port')
    expect(what).toBe('Service/web sends traffic to port 1')
    expect(patches(writes)).toEqual([{ spec: { ports: [{ port: 80, targetPort: 1 }] } }])
    expect(patches(undo)).toEqual([{ spec: { ports: [{ port: 80, targetPort: 8080 }] } }])
  })

  it('makes a service select nothing', () => {
    const { writes, undo } = plan('wrong-selector', { service: 'other' })
    expect(patches(writes)).toEqual([{ spec: { selector: { 'ordeal.dev/wrong-selector': 'true' } } }])
    expect(patches(undo)).toEqual([{ spec: { selector: { 'ordeal.dev/wrong-selector': null } } }])
    expect(writes[0]).toMatchObject({ ref: { kind: 'Service', metadata: { name: 'other', namespace: 'sandbox' } } })
  })

  it('rolls out pods with a mistake, and the containers of before to undo it', () => {
    expect(containerAfter('bad-probe', { probe: 'readiness' })).toMatchObject({
      readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: 3 },
    })
    expect(containerAfter('bad-probe', { probe: 'readiness' })).not.toHaveProperty('readinessProbe.httpGet')
    expect(containerAfter('bad-probe', { probe: 'liveness' })).toHaveProperty('livenessProbe', {
      tcpSocket: { port: 1 },
    })
    expect(containerAfter('missing-env', { variable: 'A' })).toHaveProperty('env', [{ name: 'B', value: '2' }])
    expect(containerAfter('missing-config')).toHaveProperty('envFrom[0].configMapRef.name')
    expect(containerAfter('bad-image')).toHaveProperty('image', expect.stringMatching(/^registry\.invalid\//))
    expect(containerAfter('config-change', { variable: 'B', value: '3' })).toHaveProperty('env[1].value', '3')
    for (const action of ['bad-image', 'missing-config'] as const) {
      expect(patches(plan(action).undo)).toEqual([{ spec: { template: { spec: { containers } } } }])
    }
  })

  it('leaves no pod more than there are', () => {
    const { writes, undo } = plan('quota-exhausted')
    expect(writes).toMatchObject([{ do: 'create', object: { kind: 'ResourceQuota', spec: { hard: { pods: '7' } } } }])
    expect(undo).toMatchObject([{ do: 'remove', ref: { metadata: { name: 'cycle-r0-f1', namespace: 'sandbox' } } }])
  })

  it('drains the node with most of the pods', () => {
    const { writes, undo, evictions } = plan('node-drain')
    expect(writes).toMatchObject([
      { ref: { kind: 'Node', metadata: { name: 'node-2' } }, patch: { spec: { unschedulable: true } } },
    ])
    expect(patches(undo)).toEqual([{ spec: { unschedulable: null } }])
    expect(evictions.map(({ metadata }) => metadata.name)).toEqual(['web-1', 'web-3'])
  })

  it('restarts, which leaves nothing to undo, and scales to nothing', () => {
    expect(plan('rolling-restart')).toMatchObject({ undo: [] })
    expect(patches(plan('scale-to-zero').undo)).toEqual([{ spec: { replicas: 3 } }])
  })

  it('adds requests to the service', () => {
    const { writes, undo } = plan('excess-load', { requestsPerSecond: 200 })
    const url = 'http://web.sandbox.svc.cluster.local:80/'
    expect(writes).toMatchObject([{ do: 'create', object: { url, rate: 200 } }])
    expect(undo).toMatchObject([{ do: 'remove', ref: { metadata: { name: 'load' } } }])
  })

  it('says what it lacks', () => {
    expect(() => plan('wrong-port', { service: 'gone' })).toThrow('no service gone')
    expect(() => plan('wrong-port', {}, { services: [] })).toThrow('no service selects the pods of Deployment/web')
    expect(() => plan('missing-env', { variable: 'C' })).toThrow('no container of Deployment/web has a variable C')
    expect(() => plan('config-change', { variable: 'A', value: '1' })).toThrow('with another value')
    expect(() => plan('node-drain', {}, { pods: [] })).toThrow('none of its pods is on a node')
    const bare = { ...workload, kind: 'Pod' }
    expect(() => plan('scale-to-zero', {}, { workload: bare })).toThrow('Pod/web is no Deployment')
    expect(() => plan('bad-image', {}, { workload: bare })).toThrow('its pods are not rolled out')
  })
})
