import { RandomStream } from '../kernel/random.js'
import type { Change, K8sObject } from './object.js'
import { ObjectStore } from './store.js'

const newStore = (history = 100): ObjectStore =>
  new ObjectStore({ clock: { now: 1_500 }, random: new RandomStream(1, 'names'), history })

const pod = (name: string, more: object = {}): K8sObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'x' },
  spec: { containers: [] },
  ...more,
})

describe('ObjectStore', () => {
  it('gives a new object its identity', () => {
    const { metadata } = newStore().create('pods', pod('a'))
    expect(metadata).toMatchObject({ name: 'a', generation: 1, creationTimestamp: '1970-01-01T00:00:01Z' })
    expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('makes names from generateName', () => {
    const store = newStore()
    const made = store.create('pods', { ...pod(''), metadata: { generateName: 'web-', namespace: 'x' } })
    expect(made.metadata.name).toMatch(/^web-[a-z0-9]{5}$/)
  })

  it('refuses a second object of a name, but not in another namespace', () => {
    const store = newStore()
    store.create('pods', pod('a'))
    expect(() => store.create('pods', pod('a'))).toThrow('pods "a" already exists')
    expect(store.create('pods', { ...pod('a'), metadata: { name: 'a', namespace: 'y' } })).toBeDefined()
    expect(store.list('pods', 'x')).toHaveLength(1)
    expect(store.list('pods')).toHaveLength(2)
  })

  it('hands out objects that cannot be changed', () => {
    const made = newStore().create('pods', pod('a'))
    expect(() => Object.assign(made.spec as object, { nodeName: 'n' })).toThrow(TypeError)
  })

  it('bumps version and generation for a new spec, the version only for a new status', () => {
    const store = newStore()
    const made = store.create('pods', pod('a'))
    const bound = store.update('pods', { ...made, spec: { ...(made.spec as object), nodeName: 'n' } })
    expect(bound.metadata.generation).toBe(1)
    const scheduled = store.update('pods', { ...bound, spec: { containers: [], nodeName: 'n', priority: 1 } })
    expect(scheduled.metadata.generation).toBe(2)
    const running = store.update('pods', { ...scheduled, status: { phase: 'Running' } })
    expect(running.metadata.generation).toBe(2)
    expect(Number(running.metadata.resourceVersion)).toBeGreaterThan(Number(scheduled.metadata.resourceVersion))
  })

  it('does nothing for a write that changes nothing', () => {
    const store = newStore()
    const made = store.create('pods', pod('a'))
    const changes: Change[] = []
    store.observe('pods', (change) => changes.push(change))
    expect(store.update('pods', structuredClone(made))).toBe(made)
    expect(changes).toEqual([])
  })

  it('refuses a stale version when asked to look, and a wrong uid always', () => {
    const store = newStore()
    const made = store.create('pods', pod('a'))
    store.update('pods', { ...made, status: { phase: 'Running' } })
    expect(() => store.update('pods', { ...made, status: {} }, { expectVersion: true })).toThrow(
      'the object has been modified',
    )
    const stranger = { ...made, metadata: { ...made.metadata, uid: 'other' } }
    expect(() => store.update('pods', stranger)).toThrow('UID in precondition')
  })

  it('keeps what only the server may say', () => {
    const store = newStore()
    const made = store.create('pods', pod('a'))
    const metadata = {
      name: 'a',
      namespace: 'x',
      creationTimestamp: 'never',
      deletionTimestamp: 'now',
      labels: { a: 'b' },
    }
    const updated = store.update('pods', { ...pod('a'), metadata })
    expect(updated.metadata).toMatchObject({ uid: made.metadata.uid, creationTimestamp: '1970-01-01T00:00:01Z' })
    expect(updated.metadata.deletionTimestamp).toBeUndefined()
    expect(updated.metadata.labels).toEqual({ a: 'b' })
  })

  it('holds a deleted object until its last finalizer is gone', () => {
    const store = newStore()
    store.create('pods', { ...pod('a'), metadata: { name: 'a', namespace: 'x', finalizers: ['f'] } })
    const types: string[] = []
    store.observe('pods', ({ type }) => types.push(type))
    const marked = store.remove('pods', 'x', 'a')
    expect(marked.metadata.deletionTimestamp).toBeDefined()
    store.update('pods', { ...marked, metadata: { ...marked.metadata, finalizers: [] } })
    expect(store.get('pods', 'x', 'a')).toBeUndefined()
    expect(types).toEqual(['MODIFIED', 'DELETED'])
  })

  it('lets a grace period only become shorter', () => {
    const store = newStore()
    store.create('pods', pod('a'))
    expect(store.remove('pods', 'x', 'a', { graceSeconds: 30 }).metadata).toMatchObject({
      deletionTimestamp: '1970-01-01T00:00:31Z',
      deletionGracePeriodSeconds: 30,
    })
    expect(store.remove('pods', 'x', 'a', { graceSeconds: 60 }).metadata.deletionGracePeriodSeconds).toBe(30)
    store.remove('pods', 'x', 'a')
    expect(store.get('pods', 'x', 'a')).toBeUndefined()
    expect(() => store.remove('pods', 'x', 'a')).toThrow('pods "a" not found')
  })

  it('holds a namespace by the finalizers of its spec', () => {
    const store = newStore()
    const spec = { finalizers: ['kubernetes'] }
    store.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' }, spec })
    const marked = store.remove('namespaces', null, 'n')
    expect(store.get('namespaces', null, 'n')).toBe(marked)
    store.update('namespaces', { ...marked, spec: {} })
    expect(store.get('namespaces', null, 'n')).toBeUndefined()
  })

  it('tells what changed since a version, as long as it remembers', () => {
    const store = newStore(10)
    const start = store.resourceVersion
    let object = store.create('pods', pod('a'))
    const since = object.metadata.resourceVersion
    for (let i = 0; i < 5; i++) object = store.update('pods', { ...object, status: { i } })
    const changes = store.changesSince('pods', since)
    expect(changes === 'expired' ? changes : changes.map(({ object: { status } }) => status)).toEqual([
      { i: 0 },
      { i: 1 },
      { i: 2 },
      { i: 3 },
      { i: 4 },
    ])
    for (let i = 5; i < 40; i++) object = store.update('pods', { ...object, status: { i } })
    expect(store.changesSince('pods', start)).toBe('expired')
    expect(store.changesSince('pods', object.metadata.resourceVersion)).toEqual([])
  })

  it('stops telling a listener that has left', () => {
    const store = newStore()
    const changes: Change[] = []
    const leave = store.observe('pods', (change) => changes.push(change))
    store.create('pods', pod('a'))
    leave()
    store.create('pods', pod('b'))
    expect(changes.map(({ object }) => object.metadata.name)).toEqual(['a'])
  })
})
