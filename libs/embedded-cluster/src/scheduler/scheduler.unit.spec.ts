import { deployment, pod, TestCluster } from '../engine-fixture.spec.js'

describe('the scheduler', () => {
  const requests = (cpu: string) => ({ container: { resources: { requests: { cpu, memory: '64Mi' } } } })

  it('says why nothing fits, and binds as soon as something does', () => {
    const cluster = new TestCluster()
    for (const name of ['a', 'b', 'c']) cluster.apply(pod(name, requests('3')))
    cluster.run(3)
    cluster.apply(pod('late', requests('2')))
    cluster.run(3)
    const message =
      '0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, ' +
      'preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.'
    expect(cluster.events('late')).toEqual([`FailedScheduling: ${message}`])
    expect(cluster.pod('late').status?.conditions?.[0]).toMatchObject({
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
    })
    cluster.store.remove('pods', 'app', 'a', { graceSeconds: 30 })
    cluster.runUntilTrue(() => cluster.pod('late').status?.phase === 'Running', 10)
  })

  it('respects node selectors', () => {
    const cluster = new TestCluster()
    const on = (node: string) => ({ podSpec: { nodeSelector: { 'kubernetes.io/hostname': node } } })
    cluster.apply(pod('here', on('node-2')))
    cluster.apply(pod('nowhere', on('node-9')))
    cluster.run(3)
    expect(cluster.pod('here').spec.nodeName).toBe('node-2')
    expect(cluster.events('nowhere')[0]).toContain("3 node(s) didn't match Pod's node affinity/selector")
  })

  it('spreads the pods of one owner over the nodes', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const cluster = new TestCluster(seed)
      cluster.apply(deployment('web', { replicas: 6 }))
      cluster.run(5)
      const nodes = cluster.pods('web').map(({ spec }) => spec.nodeName)
      expect(['node-1', 'node-2', 'node-3'].map((name) => nodes.filter((node) => node === name).length)).toEqual([
        2, 2, 2,
      ])
    }
  })
})
