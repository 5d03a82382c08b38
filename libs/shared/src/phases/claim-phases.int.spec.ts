import { newCycleId, tenantId, type CycleId, type TenantId } from '../ids.js'
import { createStore, type Store } from '../store/store.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { createSpecDatabase, type SpecDatabase } from '../testing/spec-servers.js'
import {
  claimPhases,
  claimTurnOf,
  extendLeases,
  reapExpired,
  type ClaimedPhase,
  type ClaimRequest,
} from './claim-phases.js'
import { endPhase } from './end-phase.js'

const [acme, zen] = [tenantId.parse('acme'), tenantId.parse('zen')]

describe('claiming phases', () => {
  let database: SpecDatabase
  let store: Store
  beforeAll(async () => {
    database = await createSpecDatabase()
    store = createStore({ ...database, poolSize: 5, name: 'spec' }, log)
  })
  beforeEach(async () => {
    await store.withPlumbing((tx) => tx.query(`update analysis.phases set state = 'done'`))
  })
  afterAll(async () => {
    await store.close()
    await database.drop()
  })

  interface Queued {
    readonly cycle?: CycleId
    readonly phase?: string
    readonly final?: boolean
    readonly delay?: string
  }
  const queue = (tenant: TenantId, about: Queued = {}): Promise<unknown> =>
    store.withTenant(tenant, (tx) =>
      tx.query(
        `insert into analysis.phases
           (tenant_id, cycle_id, revision, phase, final, input, correlation_id, traceparent, run_after)
         values ($1, $2, 0, $3, $4, '{}', 'c', 't', now() + $5::interval)`,
        [tenant, about.cycle ?? newCycleId(), about.phase ?? 'judge', about.final ?? false, about.delay ?? '0'],
      ),
    )
  const claim = (request: Partial<ClaimRequest> = {}): Promise<ClaimedPhase[]> =>
    store.withPlumbing(
      (tx) =>
        claimPhases(tx, 'analysis', {
          owner: 'me',
          leaseMs: 60_000,
          slots: 4,
          finalSlots: 0,
          tenantCap: 50,
          ...request,
        }),
      claimTurnOf('analysis'),
    )
  const expire = (): Promise<unknown> =>
    store.withPlumbing((tx) =>
      tx.query(`update analysis.phases set lease_until = now() - interval '1 ms' where state = 'running'`),
    )
  const tenantsOf = (claimed: readonly ClaimedPhase[]): string[] => claimed.map((phase) => phase.tenantId).sort()

  it('takes tenants in turn: a thousand cycles of one do not starve the one of another', async () => {
    for (let n = 0; n < 30; n += 1) await queue(acme)
    await queue(zen)
    expect(tenantsOf(await claim())).toEqual(['acme', 'acme', 'acme', 'zen'])
    await queue(zen)
    await queue(zen)
    // acme has three running and zen one, so the next two turns are zen's.
    expect(tenantsOf(await claim({ slots: 2 }))).toEqual(['zen', 'zen'])
  })

  it('keeps to the cap of a tenant over all claims', async () => {
    for (let n = 0; n < 5; n += 1) await queue(acme)
    expect(await claim({ tenantCap: 2 })).toHaveLength(2)
    expect(await claim({ tenantCap: 2 })).toHaveLength(0)
    expect(await claim({ tenantCap: 3 })).toHaveLength(1)
  })

  it('runs one phase of a cycle at a time, in their order', async () => {
    const cycle = newCycleId()
    await queue(acme, { cycle, phase: 'first' })
    await queue(acme, { cycle, phase: 'second' })
    const [first, ...none] = await claim()
    expect([first?.phase, none]).toEqual(['first', []])
    expect(await claim()).toEqual([])
    if (first) await endPhase(store, 'analysis', first, { kind: 'done', emit: [], keep: [] })
    expect((await claim()).map((phase) => phase.phase)).toEqual(['second'])
  })

  it('never gives a phase to two, however many claim at once', async () => {
    for (let n = 0; n < 20; n += 1) await queue(acme)
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim({ slots: 3, tenantCap: 12 })))
    const ids = claims.flat().map((phase) => phase.id)
    expect(ids).toHaveLength(12)
    expect(new Set(ids).size).toBe(12)
  })

  it('leaves phases that are not due, and claims final ones apart, over every cap', async () => {
    await queue(acme, { delay: '1 hour' })
    await queue(acme, { phase: 'conclude', final: true })
    await queue(acme, { phase: 'other' })
    expect((await claim({ finalSlots: 0 })).map((phase) => phase.phase)).toEqual(['other'])
    expect((await claim({ slots: 0, finalSlots: 4, tenantCap: 0 })).map((phase) => phase.phase)).toEqual(['conclude'])
  })

  it('lets a delayed phase hold up nobody of its cycle', async () => {
    const cycle = newCycleId()
    await queue(acme, { cycle, phase: 'deadline', delay: '1 hour' })
    await queue(acme, { cycle, phase: 'judge' })
    expect((await claim()).map((phase) => phase.phase)).toEqual(['judge'])
  })

  it('gives an expired phase to the next and fences its old holder off', async () => {
    await queue(acme)
    const [old] = await claim()
    await expire()
    expect(await store.withPlumbing((tx) => reapExpired(tx, 'analysis'))).toBe(1)
    const [next] = await claim()
    if (!old || !next) throw new Error('nothing was claimed')
    expect([next.id, next.lostLeases, BigInt(next.token) > BigInt(old.token)]).toEqual([old.id, 1, true])

    const kept = await store.withPlumbing((tx) => extendLeases(tx, 'analysis', [old, next], 1000))
    expect(kept).toEqual([{ id: next.id, cancelled: false }])
    const emit = [{ type: 'cycle.cancel-requested' as const, revision: 0, data: { by: 'stale' } }]
    await expect(endPhase(store, 'analysis', old, { kind: 'done', emit, keep: [] })).rejects.toMatchObject({
      reason: 'lease-lost',
    })
    expect(await endPhase(store, 'analysis', next, { kind: 'done', emit: [], keep: [] })).toBe('done')
    const sent = await store.withPlumbing((tx) =>
      tx.query('select 1 from analysis.outbox where cycle_id = $1', [next.cycleId]),
    )
    expect(sent).toEqual([])
  })

  it('fences the old holder off between the end of its lease and the next claim, too', async () => {
    await queue(acme)
    const [old] = await claim()
    await expire()
    await store.withPlumbing((tx) => reapExpired(tx, 'analysis'))
    if (!old) throw new Error('nothing was claimed')
    await expect(endPhase(store, 'analysis', old, { kind: 'done', emit: [], keep: [] })).rejects.toMatchObject({
      reason: 'lease-lost',
    })
  })

  it('cancels an expired phase of a cycle that was cancelled', async () => {
    await queue(acme)
    const [held] = await claim()
    await store.withPlumbing((tx) =>
      tx.query(`update analysis.phases set cancel_requested = true where state = 'running'`),
    )
    await expire()
    await store.withPlumbing((tx) => reapExpired(tx, 'analysis'))
    const rows = await store.withPlumbing((tx) =>
      tx.query('select state from analysis.phases where id = $1', [held?.id]),
    )
    expect(rows).toEqual([{ state: 'cancelled' }])
    expect(await claim()).toEqual([])
  })

  it('claims among ten thousand waiting phases within a fraction of a second', async () => {
    await store.withTenant(acme, (tx) =>
      tx.query(
        `insert into analysis.phases (tenant_id, cycle_id, revision, phase, input, correlation_id, traceparent)
         select 'acme', 'cyc-' || lpad(n::text, 16, '0'), 0, 'judge', '{}', 'c', 't' from generate_series(1, 10000) n`,
      ),
    )
    const started = performance.now()
    expect(await claim({ slots: 8 })).toHaveLength(8)
    expect(performance.now() - started).toBeLessThan(500)
  })
})
