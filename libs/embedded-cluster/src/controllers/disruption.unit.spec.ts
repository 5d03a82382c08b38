import { deployment, TestCluster } from '../engine-fixture.spec.js'
import { type PodDisruptionBudget } from './objects.js'

describe('a PodDisruptionBudget', () => {
  it('tells how many pods may go', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { replicas: 3 }))
    cluster.apply({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    })
    const status = () => cluster.store.get<PodDisruptionBudget>('poddisruptionbudgets.policy', 'app', 'web')?.status
    cluster.run(20)
    expect(status()).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 })
    cluster.store.remove('pods', 'app', cluster.pods('web')[0]?.metadata.name ?? '')
    cluster.run(1)
    expect(status()).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 3 })
  })
})
