import { pod, template, TestCluster } from '../engine-fixture.spec.js'
import { type Pod, type ReplicaSet } from './objects.js'

describe('a ReplicaSet', () => {
  it('adopts matching pods, and gives up those that are not ready first', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('orphan', { container: {} }))
    const orphan = cluster.pod('orphan')
    cluster.store.update('pods', { ...orphan, metadata: { ...orphan.metadata, labels: { app: 'web' } } })
    cluster.run(3)
    const selector = { matchLabels: { app: 'web' } }
    const spec = { replicas: 3, selector, template: template('web', { env: { STARTUP: '1h' } }) }
    cluster.apply({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web' }, spec })
    cluster.run(5)
    expect(cluster.pods('web')).toHaveLength(3)
    const set = cluster.store.get<ReplicaSet>('replicasets.apps', 'app', 'web') as ReplicaSet
    expect(set.status).toMatchObject({ replicas: 3, readyReplicas: 1, availableReplicas: 1 })
    cluster.store.update('replicasets.apps', { ...set, spec: { ...set.spec, replicas: 1 } })
    cluster.run(10)
    expect(cluster.pods('web').map(({ metadata }: Pod) => metadata.name)).toEqual(['orphan'])
  })
})
