import { RefusedError, type ClusterObject, type Objects } from '@ordeal/kubernetes'
import { cycleId } from '@ordeal/shared'
import { createMemoryContext } from '@ordeal/shared/testing'
import { findPlace, takePlace } from './place.js'
import { heldBy, leaseNamespace, listPool, QUARANTINE, releaseNamespace, type PoolLease } from './pool.js'

const [one, two] = ['cyc-aaaaaaaaaaaaaaaa', 'cyc-bbbbbbbbbbbbbbbb'].map((id) => cycleId.parse(id)) as [
  ReturnType<typeof cycleId.parse>,
  ReturnType<typeof cycleId.parse>,
]
const HOUR = 3_600_000
const now = Date.now()

const lease = (name: string, more: Partial<PoolLease> = {}): PoolLease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  ...more,
  metadata: { name, namespace: 'home', resourceVersion: '1', ...more.metadata },
})
const held = (name: string, cycle: string, agoMs = 0): PoolLease =>
  lease(name, {
    spec: { holderIdentity: cycle, leaseDurationSeconds: 60, renewTime: new Date(now - agoMs).toISOString() },
  })

/** A server that refuses a change of an older version, as the real one does. */
function serverWith(...leases: PoolLease[]) {
  const kept = new Map(leases.map((each) => [each.metadata.name, each]))
  const patch = (ref: ClusterObject, { metadata = {}, spec = {} }: { metadata?: object; spec?: object }) => {
    const found = kept.get(ref.metadata.name)
    const { resourceVersion } = metadata as { resourceVersion?: string }
    if (!found || (resourceVersion && resourceVersion !== found.metadata.resourceVersion)) {
      return Promise.reject(new RefusedError(409, 'Conflict', 'an older version'))
    }
    const annotations = { ...found.metadata.annotations, ...(metadata as { annotations?: object }).annotations }
    const next = lease(ref.metadata.name, {
      spec: { ...found.spec, ...spec },
      metadata: {
        name: ref.metadata.name,
        resourceVersion: `${Number(found.metadata.resourceVersion) + 1}`,
        annotations: Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== null)),
      },
    })
    kept.set(ref.metadata.name, next)
    return Promise.resolve(next)
  }
  const objects = { list: () => Promise.resolve([...kept.values()]), patch } as unknown as Objects
  return { objects, home: 'home', kept }
}
const of = (id: typeof one) => createMemoryContext({ cycleId: id })
const take = async (server: ReturnType<typeof serverWith>, id: typeof one, pool?: PoolLease[]) =>
  leaseNamespace(server, of(id), { pool: pool ?? (await listPool(server)), forMs: HOUR, now })

describe('a pool of namespaces', () => {
  it('gives one namespace to one cycle, also when both saw it free', async () => {
    const server = serverWith(lease('a'), lease('b'))
    const seen = await listPool(server)
    const taken = [await take(server, one, seen), await take(server, two, seen)]
    expect(taken.map((each) => [each.metadata.name, each.spec?.holderIdentity])).toEqual([
      ['a', one],
      ['b', two],
    ])
  })
  it('gives a cycle the one that it has', async () => {
    const server = serverWith(lease('a'), held('b', one))
    expect((await take(server, one)).metadata.name).toBe('b')
    expect(server.kept.get('a')?.spec).toBeUndefined()
  })
  it('makes a cycle wait when all are taken, names who has them, and says so to people', async () => {
    const context = of(two)
    const server = serverWith(
      held('a', one),
      lease('b', { metadata: { name: 'b', annotations: { [QUARANTINE]: 'a fault' } } }),
    )
    const pool = await listPool(server)
    await expect(leaseNamespace(server, context, { pool, forMs: HOUR, now })).rejects.toMatchObject({
      code: 'pool-exhausted',
      retryAfterMs: 30_000,
      message: expect.stringMatching(/a is held by cyc-a+ until .*; b is quarantined \(a fault\)/),
    })
    expect(context.notes.map((note) => note.message).join()).toMatch(/waiting for a namespace/)
  })
  it('takes over what was left behind, for longer than the cycle can live', async () => {
    const server = serverWith(held('a', one, HOUR))
    const { spec } = await take(server, two)
    expect(spec).toMatchObject({ holderIdentity: two, leaseTransitions: 1 })
    expect(spec?.leaseDurationSeconds).toBeGreaterThan(HOUR / 1000)
  })
  it('lets nobody write any more whose time is over, or who lost it', async () => {
    const server = serverWith(held('a', one, HOUR))
    const place = await findPlace(server, { cycleId: one })
    expect(() => place?.assertHeld()).toThrow(/the time is over/)
    await take(server, two)
    expect(await findPlace(server, { cycleId: one })).toBeNull()
    const mine = await findPlace(server, { cycleId: two })
    expect(mine).toMatchObject({ mode: 'pool', namespace: 'a', proberNamespace: 'a-prober' })
    expect(() => mine?.assertHeld()).not.toThrow()
  })
  it('takes back what is given back, without the notes of its holder', async () => {
    const notes = { 'ordeal.dev/revision': '3', other: 'kept' }
    const server = serverWith(
      lease('a', { ...held('a', one), metadata: { name: 'a', annotations: notes, resourceVersion: '1' } }),
    )
    await releaseNamespace(server, two)
    expect(heldBy(await listPool(server), one)).not.toBeNull()
    await releaseNamespace(server, one)
    expect((await listPool(server))[0]).toMatchObject({
      spec: { holderIdentity: null },
      metadata: { annotations: { other: 'kept' } },
    })
    expect((await take(server, two)).metadata.name).toBe('a')
  })
  it('never gives away a namespace that holds the system together', async () => {
    expect(await listPool(serverWith(lease('kube-system')))).toEqual([])
  })
  it('does not exist for a credential without a home, or one that may not look', async () => {
    const objects = {
      list: () => Promise.reject(new RefusedError(403, 'Forbidden', 'no')),
    } as unknown as Objects
    for (const home of [null, 'team']) {
      expect(await findPlace({ objects, home }, { cycleId: one })).toMatchObject({
        mode: 'own',
        namespace: `ordeal-${one}`,
      })
      await takePlace({ objects, home }, of(one), HOUR)
    }
  })
})
