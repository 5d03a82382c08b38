import { z } from 'zod'
import { RetryableError, TerminalError } from '../errors.js'
import { type Envelope } from '../events/envelope.js'
import { newCycleId, tenantId, type CycleId } from '../ids.js'
import { onProgress, type ProgressNote } from '../messaging/progress.js'
import { connectBroker } from '../messaging/connection.js'
import { reapExpired } from './claim-phases.js'
import { type PhaseContext, type PhaseHandler } from '../service/definition.js'
import { startService, type RunningService } from '../service/start-service.js'
import { type Crashpoints } from '../telemetry/crashpoints.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { signal, specService, startSpecServers, type SpecServers } from '../testing/spec-services.js'

const tenant = tenantId.parse('acme')
const MEASURED = `sha256:${'1'.repeat(64)}`

/** Resolves when the phase is aborted, with the reason. */
const aborted = (context: PhaseContext): Promise<string> =>
  new Promise((resolve) => {
    const tell = (): void => resolve((context.signal.reason as { reason: string }).reason)
    if (context.signal.aborted) tell()
    context.signal.addEventListener('abort', tell)
  })

describe('running phases', () => {
  let servers: SpecServers
  let gateway: RunningService
  const services: RunningService[] = []
  const failures: Envelope<'phase.failed'>[] = []
  const waiting = new Map<string, (message: Envelope) => void>()
  beforeAll(async () => {
    servers = await startSpecServers()
    const arrived = (message: Envelope): object => {
      if (message.type === 'phase.failed') failures.push(message as Envelope<'phase.failed'>)
      waiting.get(`${message.cycleId} ${message.type}`)?.(message)
      return {}
    }
    const accept = { 'measurement.finished': arrived, 'phase.failed': arrived }
    gateway = await startService(specService('gateway', accept), servers.config, { log })
  })
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop()))
  })
  afterAll(async () => {
    await gateway.stop()
    await servers.stop()
  })

  const start = async (
    measure: PhaseHandler,
    more: { crashpoints?: Crashpoints; clean?: PhaseHandler } = {},
  ): Promise<RunningService> => {
    const definition = specService(
      'experiment',
      {
        'measurement.requested': () => ({ start: [{ phase: 'measure', revision: 0, input: { some: 'input' } }] }),
        'cycle.cancel-requested': () => ({
          close: true,
          start: [{ phase: 'clean', revision: 0, input: {}, final: true }],
        }),
      },
      { measure, clean: more.clean ?? (() => Promise.resolve([])) },
    )
    const service = await startService(definition, servers.config, { log, crashpoints: more.crashpoints })
    services.push(service)
    return service
  }
  const request = async (cycleId: CycleId, type: 'measurement.requested' | 'cycle.cancel-requested'): Promise<void> => {
    const data =
      type === 'cycle.cancel-requested' ? { by: 'spec' } : { graph: MEASURED, manifests: MEASURED, request: MEASURED }
    await gateway.runtime.store.withTenant(tenant, (tx) =>
      gateway.runtime.emit(tx, { tenantId: tenant, cycleId }, [{ type, revision: 0, data } as never]),
    )
  }
  const event = <T extends Envelope['type']>(cycleId: CycleId, type: T): Promise<Envelope<T>> =>
    new Promise((resolve) => waiting.set(`${cycleId} ${type}`, resolve as (message: Envelope) => void))
  const done = [{ type: 'measurement.finished' as const, revision: 0, data: { measurement: MEASURED as never } }]
  const stateOf = async (cycleId: CycleId, phase = 'measure'): Promise<Record<string, unknown> | undefined> => {
    const rows = await gateway.runtime.store.withTenant(tenant, (tx) =>
      tx.query<Record<string, unknown>>(
        `select state, failures, lost_leases, error_code from experiment.phases where cycle_id = $1 and phase = $2`,
        [cycleId, phase],
      ),
    )
    return rows[0]
  }
  // In one transaction, so that no heartbeat comes between.
  const expireLeases = (): Promise<unknown> =>
    gateway.runtime.store.withPlumbing(async (tx) => {
      await tx.query(`update experiment.phases set lease_until = now() - interval '1 s' where state = 'running'`)
      await reapExpired(tx, 'experiment')
    })

  it('gives a phase its input, documents and a live lease, and tells people how it goes', async () => {
    const cycleId = newCycleId()
    const broker = await connectBroker(servers.natsUrl, 'spec', log)
    const note = signal<ProgressNote>()
    onProgress(broker, 'spec', note.resolve)
    await broker.ping(1000)
    const seen: unknown[] = []
    await start(async (context, input) => {
      context.assertLease()
      await context.vault.put('secret', { password: 'x' })
      context.progress({ kind: 'note', message: 'half way', data: { n: 1 } })
      seen.push(input, context.tenantId, context.cycleId, await context.vault.get('secret', z.unknown()))
      return done
    })
    const finished = event(cycleId, 'measurement.finished')
    await request(cycleId, 'measurement.requested')
    await finished
    expect(seen).toEqual([{ some: 'input' }, tenant, cycleId, { password: 'x' }])
    expect(await note.promise).toMatchObject({ cycleId, service: 'experiment', phase: 'measure', message: 'half way' })
    expect(await stateOf(cycleId)).toMatchObject({ state: 'done', failures: 0 })
    await broker.close()
  })

  it('keeps what speaks for the whole phase with its end: once after a crash before it', async () => {
    const cycleId = newCycleId()
    let crashes = 0
    const crashpoints: Crashpoints = {
      hit: (point) => {
        if (point === 'phase:before-end' && crashes++ === 0) throw new Error('killed')
      },
    }
    const attempts: number[] = []
    const finished = event(cycleId, 'measurement.finished')
    await start(
      async (context) => {
        attempts.push(context.attempt)
        await context.atEnd.put('summary', { attempt: context.attempt })
        return done
      },
      { crashpoints },
    )
    await request(cycleId, 'measurement.requested')
    while (crashes === 0) await new Promise(setImmediate)
    await expireLeases()
    await finished
    const kept = gateway.runtime.documents({ tenantId: tenant, cycleId }).artefacts
    expect(await kept.all('summary', z.unknown())).toEqual([{ attempt: 2 }])
    expect(attempts).toEqual([1, 2])
  })

  it('keeps nothing of a phase whose cycle was closed before its end', async () => {
    const cycleId = newCycleId()
    const [closed, clean] = [signal(), signal()]
    await start(
      async (context) => {
        await context.atEnd.put('summary', { done: true })
        await request(cycleId, 'cycle.cancel-requested')
        await aborted(context)
        closed.resolve()
        return done
      },
      {
        clean: () => {
          clean.resolve()
          return Promise.resolve([])
        },
      },
    )
    await request(cycleId, 'measurement.requested')
    await Promise.all([closed.promise, clean.promise])
    const kept = gateway.runtime.documents({ tenantId: tenant, cycleId }).artefacts
    expect(await kept.all('summary', z.unknown())).toEqual([])
    expect(await stateOf(cycleId)).toMatchObject({ state: 'cancelled' })
  })

  it('takes a phase over from a holder whose lease ran out, finds its steps again, and lets it end once', async () => {
    const cycleId = newCycleId()
    const [held, lost] = [signal(), signal<string>()]
    const ran: string[] = []
    let attempts = 0
    await start(async (context) => {
      attempts += 1
      const attempt = attempts
      const step = (name: string): Promise<number> =>
        context.step(name, z.number(), () => {
          ran.push(`${name} by ${attempt}`)
          return Promise.resolve(attempt)
        })
      const value = await step('first')
      if (attempt === 1) {
        held.resolve()
        lost.resolve(await aborted(context))
        expect(() => context.assertLease()).toThrow('lease-lost')
        // A holder that does not notice: its step is not recorded and its end is not written.
        await expect(step('second')).rejects.toThrow('lease-lost')
        return []
      }
      await step('second')
      return value === 1 ? done : []
    })
    const finished = event(cycleId, 'measurement.finished')
    await request(cycleId, 'measurement.requested')
    await held.promise
    await expireLeases()
    await finished
    expect(await lost.promise).toBe('lease-lost')
    expect(ran).toEqual(['first by 1', 'second by 2'])
    expect(await stateOf(cycleId)).toMatchObject({ state: 'done', lost_leases: 1 })
  })

  it('aborts a cancelled cycle’s phase within a second, runs its clean-up, and reports no failure', async () => {
    const cycleId = newCycleId()
    const [running, cleaned] = [signal(), signal<number>()]
    await start(
      async (context) => {
        running.resolve()
        await aborted(context)
        throw new Error('the fetch was aborted')
      },
      {
        clean: () => {
          cleaned.resolve(performance.now())
          return Promise.resolve([])
        },
      },
    )
    await request(cycleId, 'measurement.requested')
    await running.promise
    const asked = performance.now()
    await request(cycleId, 'cycle.cancel-requested')
    expect((await cleaned.promise) - asked).toBeLessThan(1000)
    expect(await stateOf(cycleId)).toMatchObject({ state: 'cancelled', failures: 0 })
    expect(failures.filter((message) => message.cycleId === cycleId)).toEqual([])
  })

  it('drops what a phase brings that finished although its cycle was cancelled', async () => {
    const cycleId = newCycleId()
    const [running, cleaned] = [signal(), signal()]
    await start(
      async (context) => {
        running.resolve()
        await aborted(context)
        return done
      },
      {
        clean: () => {
          cleaned.resolve()
          return Promise.resolve([])
        },
      },
    )
    await request(cycleId, 'measurement.requested')
    await running.promise
    await request(cycleId, 'cycle.cancel-requested')
    await cleaned.promise
    const sent = await gateway.runtime.store.withTenant(tenant, (tx) =>
      tx.query('select 1 from experiment.outbox where cycle_id = $1', [cycleId]),
    )
    expect([await stateOf(cycleId), sent]).toMatchObject([{ state: 'cancelled' }, []])
  })

  it.each([
    ['a terminal error at once', () => new TerminalError('no-way', 'why'), 1, { code: 'no-way', message: 'why' }],
    [
      'a bug after three attempts',
      () => new TypeError('x is undefined'),
      3,
      { code: 'bug', message: 'x is undefined' },
    ],
  ])('fails a phase by %s', async (_what, error, attempts, data) => {
    const cycleId = newCycleId()
    let tries = 0
    await start(() => {
      tries += 1
      return Promise.reject(error())
    })
    const failed = event(cycleId, 'phase.failed')
    await request(cycleId, 'measurement.requested')
    expect((await failed).data).toEqual({ service: 'experiment', phase: 'measure', ...data })
    expect(tries).toBe(attempts)
    expect(await stateOf(cycleId)).toMatchObject({ state: 'failed', error_code: data.code })
  })

  it('tries again what may pass', async () => {
    const cycleId = newCycleId()
    let tries = 0
    await start(() => {
      tries += 1
      return tries < 2
        ? Promise.reject(new RetryableError('busy', 'later', { retryAfterMs: 50 }))
        : Promise.resolve(done)
    })
    const finished = event(cycleId, 'measurement.finished')
    await request(cycleId, 'measurement.requested')
    await finished
    expect(await stateOf(cycleId)).toMatchObject({ state: 'done', failures: 1 })
  })

  it('fails a phase whose events are not what the catalogue says, instead of holding it', async () => {
    const cycleId = newCycleId()
    await start(() =>
      Promise.resolve([{ type: 'measurement.finished', revision: 0, data: { measurement: 7 } }] as never),
    )
    const failed = event(cycleId, 'phase.failed')
    await request(cycleId, 'measurement.requested')
    expect((await failed).data).toMatchObject({ code: 'event-invalid' })
  })

  it('hands a running phase to another replica at once when it stops', async () => {
    const cycleId = newCycleId()
    const running = signal()
    const reasons: string[] = []
    const first = await start(async (context) => {
      running.resolve()
      reasons.push(await aborted(context))
      throw new Error('interrupted')
    })
    await request(cycleId, 'measurement.requested')
    await running.promise
    const finished = event(cycleId, 'measurement.finished')
    await start(() => Promise.resolve(done))
    await first.stop()
    await finished
    expect(reasons).toEqual(['stopping'])
    expect(await stateOf(cycleId)).toMatchObject({ state: 'done', failures: 0, lost_leases: 0 })
  })
})
