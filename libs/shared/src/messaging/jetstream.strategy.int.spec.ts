import { randomUUID } from 'node:crypto'
import { TerminalError } from '../errors.js'
import { newCycleId, newMessageId, tenantId } from '../ids.js'
import { STREAM, subjectOf } from '../events/catalogue.js'
import { type AcceptTable } from '../service/definition.js'
import { startService, type RunningService } from '../service/start-service.js'
import { type Crashpoints } from '../telemetry/crashpoints.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { signal, specService, startSpecServers, type SpecServers } from '../testing/spec-services.js'
import { connectBroker, type Broker } from './connection.js'
import { DEAD_STREAM, ensureStreams } from './topology.js'

const tenant = tenantId.parse('acme')

const bodyOf = (cycleId: string, changes: Record<string, unknown> = {}): string =>
  JSON.stringify({
    messageId: newMessageId(),
    type: 'cycle.cancel-requested',
    version: 1,
    occurredAt: new Date().toISOString(),
    tenantId: tenant,
    cycleId,
    revision: 0,
    correlationId: 'c',
    causationId: null,
    traceparent: 't',
    data: { by: 'spec' },
    ...changes,
  })

describe('messages over JetStream', () => {
  let servers: SpecServers
  let broker: Broker
  let service: RunningService | undefined
  beforeAll(async () => {
    servers = await startSpecServers()
    broker = await connectBroker(servers.natsUrl, 'spec', log)
  })
  beforeEach(() => ensureStreams(broker))
  afterEach(async () => {
    await service?.stop()
    for (const stream of [STREAM, DEAD_STREAM]) await broker.manager.streams.delete(stream)
  })
  afterAll(async () => {
    await broker.close()
    await servers.stop()
  })

  const start = async (
    accept: Partial<AcceptTable<'improvement'>>,
    crashpoints?: Crashpoints,
  ): Promise<RunningService> => {
    service = await startService(
      specService('improvement', accept, { work: () => Promise.resolve([]) }),
      servers.config,
      {
        log,
        crashpoints,
      },
    )
    return service
  }
  const send = (cycleId: string, body = bodyOf(cycleId)): Promise<void> =>
    broker.publish(subjectOf(tenant, cycleId, 'cycle.cancel-requested'), body, { id: randomUUID() })
  /** The next message of a stream's subjects, when it is there. */
  const next = async (stream: string, filter: string): Promise<{ body: string; code: string }> => {
    const consumer = await broker.jetstream.consumers.get(stream, { filter_subjects: filter })
    const message = await consumer.next({ expires: 10_000 })
    if (!message) throw new Error(`nothing came to ${filter}`)
    return { body: message.string(), code: message.headers?.get('Ordeal-Code') ?? '' }
  }

  it('has the effect of a message once, though the process fails between commit and ack', async () => {
    const cycleId = newCycleId()
    const acked = signal()
    let deliveries = 0
    await start(
      { 'cycle.cancel-requested': () => ({ start: [{ phase: 'work', revision: (deliveries += 1), input: {} }] }) },
      {
        hit: (point) => {
          if (point === 'message:committed' && deliveries === 1) throw new Error('killed')
          if (point === 'message:acked') acked.resolve()
        },
      },
    )
    await send(cycleId)
    await acked.promise
    expect(deliveries).toBe(2)
    const rows = await service?.runtime.store.withTenant(tenant, (tx) =>
      tx.query('select revision from improvement.phases where cycle_id = $1', [cycleId]),
    )
    expect(rows).toEqual([{ revision: 1 }])
  })

  it('retries a bug by the curve and applies the message when it passes', async () => {
    const done = signal()
    let tries = 0
    await start({
      'cycle.cancel-requested': () => {
        tries += 1
        if (tries < 2) throw new Error('weather')
        done.resolve()
        return {}
      },
    })
    await send(newCycleId())
    await done.promise
    expect(tries).toBe(2)
  })

  it('buries what is terminal and tells the cycle', async () => {
    const cycleId = newCycleId()
    await start({
      'cycle.cancel-requested': () => {
        throw new TerminalError('no-sense', 'it makes\nno sense')
      },
    })
    const body = bodyOf(cycleId)
    await send(cycleId, body)
    expect(await next(DEAD_STREAM, `ordeal-dead.improvement.ordeal.acme.${cycleId}.>`)).toEqual({
      body,
      code: 'no-sense',
    })
    const told = await next(STREAM, `ordeal.acme.${cycleId}.phase.failed`)
    expect(JSON.parse(told.body)).toMatchObject({
      data: { service: 'improvement', phase: 'accept cycle.cancel-requested', code: 'no-sense' },
    })
  })

  it.each([
    ['not JSON', '{'],
    ['of a version to come', bodyOf('cyc-aaaaaaaaaaaaaaaa', { version: 2 })],
    ['of another tenant than its subject', bodyOf('cyc-aaaaaaaaaaaaaaaa', { tenantId: 'evil' })],
  ])('buries a message that is %s, and goes on', async (_what, body) => {
    const seen = signal()
    await start({
      'cycle.cancel-requested': () => {
        seen.resolve()
        return {}
      },
    })
    await send('cyc-aaaaaaaaaaaaaaaa', body)
    await send(newCycleId())
    expect(await next(DEAD_STREAM, 'ordeal-dead.improvement.>')).toEqual({ body, code: 'undecodable' })
    await seen.promise
  })

  it('handles the messages of one cycle in their order', async () => {
    const cycleId = newCycleId()
    const seen: number[] = []
    const all = signal()
    for (let n = 0; n < 20; n += 1) await send(cycleId, bodyOf(cycleId, { revision: n }))
    await start({
      'cycle.cancel-requested': (message) => {
        seen.push(message.revision)
        if (seen.length === 20) all.resolve()
        return {}
      },
    })
    await all.promise
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })

  it('does not start without a handler for each event', async () => {
    const bare = { name: 'improvement', accept: { 'verdict.reached': () => ({}) }, phases: {} } as never
    await expect(startService(bare, servers.config, { log })).rejects.toMatchObject({
      code: 'handler-missing',
      message: 'improvement handles no approval.given, cycle.cancel-requested',
    })
  })

  it('finishes the message in hand and hands the rest back when it stops', async () => {
    const [held, entered] = [signal(), signal()]
    const seen: string[] = []
    const first = await start({
      'cycle.cancel-requested': (message) => ({
        write: async () => {
          entered.resolve()
          await held.promise
          seen.push(message.cycleId)
        },
      }),
    })
    const [a, b] = [newCycleId(), newCycleId()]
    await send(a)
    await entered.promise
    const stopped = first.stop()
    await send(b)
    held.resolve()
    await stopped
    expect(seen).toEqual([a])
    expect(first.state).toBe('CLOSED')
    const later = signal<string>()
    await start({
      'cycle.cancel-requested': (message) => {
        later.resolve(message.cycleId)
        return {}
      },
    })
    expect(await later.promise).toBe(b)
  })
})
