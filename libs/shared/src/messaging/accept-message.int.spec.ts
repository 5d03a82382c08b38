import { newCycleId, newMessageId, tenantId, type CycleId } from '../ids.js'
import { type Envelope } from '../events/envelope.js'
import { type Accepted } from '../service/definition.js'
import { createStore, type Store } from '../store/store.js'
import { noCrashpoints, type Crashpoints } from '../telemetry/crashpoints.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { createSpecDatabase, type SpecDatabase } from '../testing/spec-servers.js'
import { acceptMessage, type Acceptance } from './accept-message.js'

const tenant = tenantId.parse('acme')

const messageOf = (cycleId: CycleId): Envelope<'cycle.cancel-requested'> => ({
  messageId: newMessageId(),
  type: 'cycle.cancel-requested',
  version: 1,
  occurredAt: new Date().toISOString(),
  tenantId: tenant,
  cycleId,
  revision: 0,
  correlationId: 'a'.repeat(32),
  causationId: null,
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  data: { by: 'spec' },
})

const finding = (n: number): Accepted => ({
  start: [{ phase: 'work', revision: n, input: { n } }],
  emit: [{ type: 'cycle.cancel-requested', revision: n, data: { by: 'spec' } }],
})

describe('accepting a message', () => {
  let database: SpecDatabase
  let store: Store
  beforeAll(async () => {
    database = await createSpecDatabase()
    store = createStore({ ...database, poolSize: 5, name: 'spec' }, log)
  })
  afterAll(async () => {
    await store.close()
    await database.drop()
  })

  const accept = (
    message: Envelope,
    accepted: Accepted,
    crashpoints: Crashpoints = noCrashpoints,
  ): Promise<Acceptance> =>
    acceptMessage({ store, service: 'experiment', phases: ['work', 'clean'], crashpoints }, message, () =>
      Promise.resolve(accepted),
    )
  const phasesOf = (cycleId: CycleId): Promise<{ phase: string; revision: number; state: string }[]> =>
    store.withTenant(tenant, (tx) =>
      tx.query('select phase, revision, state from experiment.phases where cycle_id = $1 order by id', [cycleId]),
    )
  const outboxOf = (cycleId: CycleId): Promise<{ sequence: string; envelope: Envelope }[]> =>
    store.withTenant(tenant, (tx) =>
      tx.query('select sequence, envelope from experiment.outbox where cycle_id = $1 order by sequence', [cycleId]),
    )

  it('has its effect once when a message comes twice, even at the same instant', async () => {
    const cycleId = newCycleId()
    const message = messageOf(cycleId)
    const both = await Promise.all([accept(message, finding(0)), accept(message, finding(0))])
    expect(both.sort()).toEqual(['applied', 'duplicate'])
    expect(await accept(message, finding(0))).toBe('duplicate')
    expect(await phasesOf(cycleId)).toEqual([{ phase: 'work', revision: 0, state: 'queued' }])
    const [sent, ...more] = await outboxOf(cycleId)
    expect(more).toEqual([])
    expect(sent?.envelope).toMatchObject({ causationId: message.messageId, correlationId: message.correlationId })
    expect(sent?.envelope.traceparent).toMatch(new RegExp(`^00-${'a'.repeat(32)}-[0-9a-f]{16}-01$`))
    expect(sent?.envelope.traceparent).not.toBe(message.traceparent)
  })

  it('leaves nothing of a message whose transaction fails, so that it can come again', async () => {
    const cycleId = newCycleId()
    const message = messageOf(cycleId)
    const failing = { ...finding(0), write: () => Promise.reject(new Error('projection broke')) }
    await expect(accept(message, failing)).rejects.toThrow('projection broke')
    const crash = { hit: () => Promise.reject(new Error('killed')) }
    await expect(accept(message, finding(0), crash)).rejects.toThrow('killed')
    expect([await phasesOf(cycleId), await outboxOf(cycleId)]).toEqual([[], []])
    expect(await accept(message, finding(0))).toBe('applied')
    expect(await phasesOf(cycleId)).toHaveLength(1)
  })

  it('numbers the events of a cycle in a row, whoever decides them at the same time', async () => {
    const cycleId = newCycleId()
    await Promise.all([0, 1, 2, 3, 4].map((n) => accept(messageOf(cycleId), finding(n))))
    expect((await outboxOf(cycleId)).map((row) => Number(row.sequence))).toEqual([1, 2, 3, 4, 5])
  })

  it('drops what is queued and all later starts of a closed cycle, but final ones', async () => {
    const cycleId = newCycleId()
    await accept(messageOf(cycleId), finding(0))
    const final = { phase: 'clean', revision: 0, input: {}, final: true }
    await accept(messageOf(cycleId), { close: true, start: [final, { phase: 'work', revision: 1, input: {} }] })
    await accept(messageOf(cycleId), finding(2))
    expect(await phasesOf(cycleId)).toEqual([
      { phase: 'work', revision: 0, state: 'cancelled' },
      { phase: 'clean', revision: 0, state: 'queued' },
    ])
  })

  it('starts nothing after a close, however the two race', async () => {
    for (let round = 0; round < 10; round += 1) {
      const cycleId = newCycleId()
      await Promise.all([accept(messageOf(cycleId), finding(0)), accept(messageOf(cycleId), { close: true })])
      expect((await phasesOf(cycleId)).filter((phase) => phase.state === 'queued')).toEqual([])
    }
  })

  it('starts a phase of a revision once, and revives a cancelled one by a final start', async () => {
    const cycleId = newCycleId()
    await accept(messageOf(cycleId), finding(0))
    await accept(messageOf(cycleId), finding(0))
    expect(await phasesOf(cycleId)).toHaveLength(1)
    await accept(messageOf(cycleId), { close: true })
    await accept(messageOf(cycleId), { start: [{ phase: 'work', revision: 0, input: {}, final: true }] })
    expect(await phasesOf(cycleId)).toEqual([{ phase: 'work', revision: 0, state: 'queued' }])
  })

  it('refuses a phase that the service does not have, and data that are not the event’s', async () => {
    const start = { start: [{ phase: 'wrok', revision: 0, input: {} }] }
    await expect(accept(messageOf(newCycleId()), start)).rejects.toThrow('no such phase')
    const emit = [{ type: 'cycle.cancel-requested', revision: 0, data: { by: 7 } } as never]
    await expect(accept(messageOf(newCycleId()), { emit })).rejects.toMatchObject({ code: 'event-invalid' })
  })
})
