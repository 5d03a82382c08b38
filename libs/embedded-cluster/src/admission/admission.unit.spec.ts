import { deployment, pod, TestCluster } from '../engine-fixture.spec.js'
import { type ReplicaSet } from '../controllers/objects.js'
import { type K8sObject } from '../store/object.js'

const quota = (hard: object): K8sObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q' },
  spec: { hard },
})
const limits = (limit: object): K8sObject => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'l' },
  spec: { limits: [limit] },
})
const asking = (cpu: string) => ({ container: { resources: { requests: { cpu }, limits: { cpu } } } })

describe('admission', () => {
  it('keeps within a quota, and says by how much it was exceeded', () => {
    const cluster = new TestCluster()
    cluster.apply(quota({ pods: '2', 'requests.cpu': '1' }))
    cluster.apply(pod('a', asking('600m')))
    expect(() => cluster.apply(pod('b', asking('600m')))).toThrow(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, ' +
        'limited: requests.cpu=1',
    )
    cluster.apply(pod('c', asking('100m')))
    expect(() => cluster.apply(pod('d', asking('100m')))).toThrow('requested: pods=1, used: pods=2, limited: pods=2')
    expect(() => cluster.apply(pod('e'))).toThrow('failed quota: q: must specify requests.cpu for: web')
    cluster.run(1)
    expect(cluster.store.get('resourcequotas', 'app', 'q')?.status).toMatchObject({
      used: { pods: '2', 'requests.cpu': '700m' },
    })
  })

  it('lets a workload get on as soon as the quota allows', () => {
    const cluster = new TestCluster()
    cluster.apply(quota({ pods: '1' }))
    cluster.apply(deployment('web', { replicas: 2 }))
    cluster.run(5)
    const [set] = cluster.store.list<ReplicaSet>('replicasets.apps')
    expect(cluster.pods('web')).toHaveLength(1)
    expect(cluster.events(set?.metadata.name ?? '').at(-1)).toMatch(
      /^FailedCreate: Error creating: pods "web-\w+-" is forbidden: exceeded quota/,
    )
    cluster.store.remove('resourcequotas', 'app', 'q')
    cluster.runUntilTrue(() => cluster.readyPods('web').length === 2)
  })

  it('gives containers the requests and limits of their namespace, and keeps them within its bounds', () => {
    const cluster = new TestCluster()
    cluster.apply(limits({ type: 'Container', default: { cpu: '500m' }, max: { cpu: '1' } }))
    cluster.apply(pod('a'))
    expect(cluster.pod('a').spec.containers[0]?.resources).toEqual({
      limits: { cpu: '500m' },
      requests: { cpu: '500m' },
    })
    expect(() => cluster.apply(pod('b', asking('2')))).toThrow(
      'pods "b" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    )
  })

  it('refuses what names an account or a priority that is not there', () => {
    const cluster = new TestCluster()
    expect(() => cluster.apply(pod('a', { podSpec: { serviceAccountName: 'robot' } }))).toThrow(
      'pods "a" is forbidden: error looking up service account app/robot: serviceaccount "robot" not found',
    )
    expect(() => cluster.apply(pod('a', { podSpec: { priorityClassName: 'gold' } }))).toThrow(
      'pods "a" is forbidden: no PriorityClass with name gold was found',
    )
    cluster.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } })
    cluster.apply(pod('a', { podSpec: { serviceAccountName: 'robot' } }))
    expect(cluster.pods()).toHaveLength(1)
  })
})
