import { pod, START_MS, TestCluster } from '../engine-fixture.spec.js'
import { EventRecorder } from './events.js'

describe('the event recorder', () => {
  const source = { component: 'tester', host: 'node-1' }
  const text = { type: 'Warning', reason: 'Sour', message: 'it is sour', fieldPath: 'spec.containers{web}' } as const

  it('counts what was said before, and forgets after an hour', () => {
    const cluster = new TestCluster()
    const about = cluster.apply(pod('lemon'))
    const events = new EventRecorder(cluster.kernel, cluster.store)
    const found = () => cluster.store.list('events').filter(({ reason }) => reason === 'Sour')
    events.record(about, source, text)
    cluster.run(90)
    events.record(about, source, text)
    expect(found()).toHaveLength(1)
    expect(found()[0]).toMatchObject({
      metadata: { namespace: 'app', name: expect.stringMatching(/^lemon\.[0-9a-f]+$/) },
      involvedObject: { kind: 'Pod', name: 'lemon', uid: about.metadata.uid, fieldPath: 'spec.containers{web}' },
      count: 2,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:01:30Z',
      source,
    })
    events.recordOnce(about, source, text)
    expect(found()).toHaveLength(2)
    cluster.runUntil(3600 + 60)
    expect(found()).toHaveLength(2)
    cluster.runUntil(3600 + 91)
    expect(found()).toHaveLength(0)
    expect(cluster.kernel.now).toBe(START_MS + 3691_000)
  })

  it('says nothing about objects of a namespace that is going', () => {
    const cluster = new TestCluster()
    const about = cluster.apply(pod('lemon'))
    const namespace = cluster.store.get('namespaces', null, 'app')
    const metadata = { ...namespace?.metadata, finalizers: ['test/hold'] }
    if (namespace) cluster.store.update('namespaces', { ...namespace, metadata })
    cluster.store.remove('namespaces', null, 'app')
    new EventRecorder(cluster.kernel, cluster.store).record(about, source, text)
    expect(cluster.store.list('events')).toEqual([])
  })
})
