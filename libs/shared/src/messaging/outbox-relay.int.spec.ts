import { newCycleId, tenantId, type CycleId } from '../ids.js'
import { createStore, type Store } from '../store/store.js'
import { noCrashpoints } from '../telemetry/crashpoints.js'
import { createMetrics } from '../telemetry/metrics.js'
import { startTrace } from '../telemetry/trace.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { createSpecDatabase, emptySpecNats, type SpecDatabase } from '../testing/spec-servers.js'
import { STREAM } from '../events/catalogue.js'
import { connectBroker, type Broker } from './connection.js'
import { emitEvents, lockCycle } from './decision.js'
import { relayAll, relayOnce, type RelayDeps } from './outbox-relay.js'
import { ensureStreams } from './topology.js'

const tenant = tenantId.parse('acme')

describe('the outbox relay', () => {
  let database: SpecDatabase
  let store: Store
  let broker: Broker
  let deps: RelayDeps
  beforeAll(async () => {
    const [spec, nats] = await Promise.all([createSpecDatabase(), emptySpecNats()])
    database = spec
    store = createStore({ ...database, poolSize: 5, name: 'spec' }, log)
    broker = await connectBroker(nats.url, 'spec', log)
    await ensureStreams(broker)
    const { publish } = broker
    deps = {
      store,
      schema: 'hypothesis',
      publish,
      crashpoints: noCrashpoints,
      log,
      sweepMs: 1000,
      metrics: createMetrics('x'),
    }
  })
  afterAll(async () => {
    await broker.close()
    await store.close()
    await database.drop()
  })

  /** Emits events whose revision is their place in the cycle. */
  const emit = async (cycleId: CycleId, revisions: readonly number[]): Promise<void> => {
    const { traceId: correlationId, traceparent } = startTrace()
    const origin = { tenantId: tenant, cycleId, correlationId, causationId: null, traceparent }
    await store.withTenant(tenant, async (tx) => {
      const place = { tx, schema: 'hypothesis' as const, origin }
      const { events } = await lockCycle(place, { events: revisions.length, close: false })
      const drafts = revisions.map((revision) => ({
        type: 'cycle.cancel-requested' as const,
        revision,
        data: { by: 'spec' },
      }))
      await emitEvents(place, drafts, events)
    })
  }
  /** Revisions of a cycle's messages in the order of the stream. */
  const published = async (cycleId: CycleId): Promise<number[]> => {
    const found: number[] = []
    const consumer = await broker.jetstream.consumers.get(STREAM, { filter_subjects: `ordeal.acme.${cycleId}.>` })
    const { num_pending: count } = await consumer.info()
    if (count === 0) return []
    for await (const message of await consumer.fetch({ max_messages: count })) {
      found.push(message.json<{ revision: number }>().revision)
    }
    return found
  }

  it('keeps the order of each cycle while two relays work on many', async () => {
    const cycles = Array.from({ length: 40 }, newCycleId)
    const revisions = [0, 1, 2, 3, 4, 5]
    for (const half of [revisions.slice(0, 3), revisions.slice(3)]) {
      await Promise.all(cycles.map((cycle) => emit(cycle, half)))
    }
    await Promise.all([relayAll(deps), relayAll(deps)])
    await relayAll(deps)
    for (const cycle of cycles) expect(await published(cycle)).toEqual(revisions)
  })

  it('publishes again what a crash left unmarked, and the stream holds it once', async () => {
    const cycle = newCycleId()
    await emit(cycle, [0, 1])
    const crash = {
      hit: (point: string) => (point === 'relay:published' ? Promise.reject(new Error('killed')) : undefined),
    }
    await expect(relayOnce({ ...deps, crashpoints: crash })).rejects.toThrow('killed')
    expect(await published(cycle)).toEqual([0, 1])
    let again = 0
    await relayAll({
      ...deps,
      publish: (...args) => {
        again += 1
        return deps.publish(...args)
      },
    })
    expect(again).toBe(2)
    expect(await published(cycle)).toEqual([0, 1])
  })

  it('stops a cycle at the event that could not be published and goes on from there', async () => {
    const [stuck, fine] = [newCycleId(), newCycleId()]
    await emit(stuck, [0, 1, 2])
    await emit(fine, [0])
    const publish: Broker['publish'] = (subject, body, options) =>
      subject.includes(stuck) && body.includes('"revision":1')
        ? Promise.reject(new Error('no stream'))
        : deps.publish(subject, body, options)
    await expect(relayOnce({ ...deps, publish })).rejects.toThrow('no stream')
    expect([await published(stuck), await published(fine)]).toEqual([[0], [0]])
    await relayAll(deps)
    expect(await published(stuck)).toEqual([0, 1, 2])
  })

  it('waits for the acknowledgement before it marks', async () => {
    const cycle = newCycleId()
    await emit(cycle, [0])
    const { promise, resolve } = Promise.withResolvers<void>()
    const publishing = Promise.withResolvers<void>()
    const publish: Broker['publish'] = () => {
      publishing.resolve()
      return promise
    }
    const pass = relayOnce({ ...deps, publish })
    await publishing.promise
    const pending = (): Promise<unknown[]> =>
      store.withTenant(tenant, (tx) =>
        tx.query('select 1 from hypothesis.outbox where cycle_id = $1 and published_at is null', [cycle]),
      )
    expect(await pending()).toHaveLength(1)
    // Another relay leaves the cycle alone meanwhile.
    expect(await relayOnce(deps)).toEqual({ published: 0, full: false })
    resolve()
    await pass
    expect(await pending()).toHaveLength(0)
  })
})
