import * as fc from 'fast-check'
import { deployment, pod, service, TestCluster } from '../engine-fixture.spec.js'
import { type EndpointSlice } from './objects.js'

describe('EndpointSlices', () => {
  const slices = (cluster: TestCluster) => cluster.store.list<EndpointSlice>('endpointslices.discovery.k8s.io', 'app')

  it('have the shape that Kubernetes writes', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { container: {} }))
    cluster.apply(service('web'))
    cluster.run(5)
    const [slice] = slices(cluster)
    expect(slice?.metadata.name).toMatch(/^web-.{5}$/)
    expect(slice?.metadata.labels).toEqual({
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      'kubernetes.io/service-name': 'web',
    })
    expect(slice?.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Service', name: 'web' })
    const { metadata, spec, status } = cluster.pod('web')
    expect(slice).toMatchObject({
      addressType: 'IPv4',
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      endpoints: [
        {
          addresses: [status?.podIP],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: spec.nodeName,
          zone: spec.nodeName?.replace('node', 'zone'),
          targetRef: { kind: 'Pod', name: 'web', namespace: 'app', uid: metadata.uid },
        },
      ],
    })
  })

  it('resolve named ports by pod', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { container: { ports: [{ name: 'http', containerPort: 8123 }] } }))
    cluster.apply(service('web', { ports: [{ port: 80, targetPort: 'http' }] }))
    cluster.run(5)
    expect(slices(cluster)[0]?.ports).toEqual([{ name: '', port: 8123, protocol: 'TCP' }])
  })

  it('only ever call pods ready that are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 4 }), (seed, replicas) => {
        const cluster = new TestCluster(seed)
        cluster.apply(deployment('web', { replicas, env: { STARTUP: '3s' } }))
        cluster.apply(service('web'))
        for (let i = 0; i < 400; i++) {
          cluster.run(0.1)
          if (i % 130 === 129) cluster.store.remove('pods', 'app', cluster.pods('web')[0]?.metadata.name ?? '')
          // The controller acts within its reaction time; what it wrote before that may be old.
          cluster.run(0.025)
          const ready = new Set(cluster.readyPods('web').map(({ metadata }) => metadata.uid))
          const listed = slices(cluster).flatMap(({ endpoints }) =>
            endpoints.filter(({ conditions }) => conditions.ready),
          )
          const changedLately = cluster.pods('web').some(({ metadata }) => metadata.deletionTimestamp !== undefined)
          if (!changedLately) expect(listed.filter(({ targetRef }) => !ready.has(targetRef?.uid ?? ''))).toEqual([])
        }
      }),
      { numRuns: 10 },
    )
  })
})
