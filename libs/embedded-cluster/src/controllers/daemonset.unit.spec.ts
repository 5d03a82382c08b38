import { template, TestCluster } from '../engine-fixture.spec.js'
import { type K8sObject } from '../store/object.js'
import { type DaemonSet } from './objects.js'

function daemonSet(spec: object = {}, podSpec: object = {}): K8sObject {
  const pods = template('agent', { podSpec: podSpec as Record<string, unknown> })
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent' },
    spec: { selector: { matchLabels: { app: 'agent' } }, template: pods, ...spec },
  }
}

const statusOf = (cluster: TestCluster) => cluster.store.get<DaemonSet>('daemonsets.apps', 'app', 'agent')?.status

describe('a DaemonSet', () => {
  it('has one pod on each node, also on a cordoned one', () => {
    const cluster = new TestCluster()
    const node = cluster.store.get('nodes', null, 'node-2')
    if (node) cluster.store.update('nodes', { ...node, spec: { ...(node.spec as object), unschedulable: true } })
    cluster.apply(daemonSet())
    cluster.runUntilTrue(() => cluster.readyPods('agent').length === 3)
    cluster.run(1)
    expect(
      cluster
        .pods('agent')
        .map(({ spec }) => spec.nodeName)
        .sort(),
    ).toEqual(['node-1', 'node-2', 'node-3'])
    expect(statusOf(cluster)).toEqual({
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberAvailable: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      observedGeneration: 1,
      updatedNumberScheduled: 3,
    })
  })

  it('keeps to the nodes that its pods may run on, and leaves those that they may no longer', () => {
    const cluster = new TestCluster()
    cluster.apply(daemonSet({}, { nodeSelector: { 'topology.kubernetes.io/zone': 'zone-3' } }))
    cluster.runUntilTrue(() => cluster.readyPods('agent').length === 1)
    expect(cluster.pods('agent')[0]?.spec.nodeName).toBe('node-3')
    const node = cluster.store.get('nodes', null, 'node-3')
    const taints = [{ key: 'k', value: '', effect: 'NoSchedule' }]
    if (node) cluster.store.update('nodes', { ...node, spec: { ...(node.spec as object), taints } })
    cluster.runUntilTrue(() => cluster.pods('agent').length === 0)
  })

  it('puts a pod back where one was lost', () => {
    const cluster = new TestCluster()
    cluster.apply(daemonSet())
    cluster.runUntilTrue(() => cluster.readyPods('agent').length === 3)
    const [first] = cluster.pods('agent')
    cluster.store.remove('pods', 'app', first?.metadata.name ?? '')
    cluster.runUntilTrue(() => cluster.readyPods('agent').length === 3)
    expect(new Set(cluster.pods('agent').map(({ spec }) => spec.nodeName)).size).toBe(3)
  })

  it('rolls out node by node', () => {
    const cluster = new TestCluster()
    const set = cluster.apply<DaemonSet>(daemonSet())
    cluster.runUntilTrue(() => cluster.readyPods('agent').length === 3)
    cluster.run(1)
    const changed = { ...set.spec, template: template('agent', { env: { WORK: '1ms' } }) }
    const current = cluster.store.get('daemonsets.apps', 'app', 'agent')
    cluster.store.update('daemonsets.apps', { ...(current ?? set), spec: changed })
    let least = 3
    cluster.runUntilTrue(() => {
      least = Math.min(least, cluster.readyPods('agent').length)
      const { updatedNumberScheduled, numberReady } = (statusOf(cluster) ?? {}) as Record<string, number>
      return cluster.kernel.now > 0 && updatedNumberScheduled === 3 && numberReady === 3 && least < 3
    })
    expect(least).toBe(2)
  })
})
