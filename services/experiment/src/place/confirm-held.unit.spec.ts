import { type Objects } from '@ordeal/kubernetes'
import { createMemoryContext } from '@ordeal/shared/testing'
import { confirmHeld } from './confirm-held.js'
import { type Place } from './place.js'
import { type PoolLease } from './pool.js'

const context = createMemoryContext()
const CYCLE = context.cycleId
const OTHER = 'cyc-zzzzzzzzzzzzzzzz'

const lease = (holderIdentity: string | undefined, leaseTransitions: number): PoolLease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a' },
  spec: { holderIdentity, leaseTransitions },
})
const labelled = (cycle: string, deletionTimestamp?: string): PoolLease => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'a', labels: { 'ordeal.dev/cycle': cycle }, deletionTimestamp },
})

/** Asks whether a place that was taken as `taken` is held, when the cluster has `found`. */
const confirm = (mode: Place['mode'], taken: PoolLease | null, found: PoolLease | null): Promise<void> => {
  const objects = { get: () => Promise.resolve(found) } as unknown as Objects
  const place = { mode, namespace: 'a', notebook: labelled(CYCLE), lease: taken } as unknown as Place
  const cluster = { objects } as Parameters<typeof confirmHeld>[0]['cluster']
  return confirmHeld({ cluster, context, place, labels: { 'ordeal.dev/cycle': CYCLE } })
}

describe('the last look before a fault', () => {
  it.each([
    ['a leased namespace', 'pool', lease(CYCLE, 3), lease(CYCLE, 3)],
    ['a namespace of its own', 'own', null, labelled(CYCLE)],
    ['a namespace that it works in', 'in-place', null, labelled(CYCLE)],
  ] as const)('lets pass what is held: %s', async (_, mode, taken, found) => {
    await expect(confirm(mode, taken, found)).resolves.toBeUndefined()
  })

  it.each([
    ['it is another cycle’s', 'pool', lease(CYCLE, 3), lease(OTHER, 4), `it is ${OTHER}'s`],
    ['it was given back and taken again', 'pool', lease(CYCLE, 3), lease(CYCLE, 5), 'it was given up'],
    ['it was given back', 'pool', lease(CYCLE, 3), lease(undefined, 3), 'it was given up'],
    ['the lease is gone', 'pool', lease(CYCLE, 3), null, 'it was given up'],
    ['the namespace is somebody else’s', 'own', null, labelled(OTHER), 'it was given up'],
    ['the namespace is going', 'own', null, labelled(CYCLE, '2026-01-01T00:00:00Z'), 'it was given up'],
    ['somebody else works in it', 'in-place', null, labelled(OTHER), 'it was given up'],
  ] as const)('stops when %s', async (_, mode, taken, found, words) => {
    await expect(confirm(mode, taken, found)).rejects.toMatchObject({
      code: 'namespace-lost',
      message: expect.stringContaining(words),
    })
  })
})
