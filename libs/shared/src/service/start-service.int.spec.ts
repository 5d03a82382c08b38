import { connect } from 'node:net'
import { z } from 'zod'
import { artefactId, newCycleId, tenantId } from '../ids.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { signal, specService, startSpecServers, type SpecServers } from '../testing/spec-services.js'
import { startService, type RunningService } from './start-service.js'

const tenant = tenantId.parse('acme')
const graph = artefactId.parse(`sha256:${'1'.repeat(64)}`)

describe('services on real servers', () => {
  let servers: SpecServers
  const running: RunningService[] = []
  beforeAll(async () => {
    servers = await startSpecServers()
  })
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()))
  })
  afterAll(() => servers.stop())

  it('carry an event from one service through a phase of another and back', async () => {
    const finished = signal<string>()
    const data = { graph, manifests: graph, request: graph }
    const hypothesis = specService('hypothesis', {
      'cycle.requested': () => ({ emit: [{ type: 'measurement.requested', revision: 0, data }] }),
      'measurement.finished': (message) => {
        finished.resolve(message.data.measurement)
        return {}
      },
    })
    const experiment = specService(
      'experiment',
      {
        'measurement.requested': (m) => ({
          start: [{ phase: 'measure', revision: 0, input: { graph: m.data.graph } }],
        }),
      },
      {
        measure: async (context, { graph: of }) => {
          const schema = z.object({ of: z.string() })
          const value = await context.step('sample', schema, () => Promise.resolve({ of: String(of) }))
          const measurement = await context.artefacts.put('measurement', value)
          return [{ type: 'measurement.finished', revision: 0, data: { measurement } }]
        },
      },
    )
    const started = await Promise.all([
      startService(specService('gateway', {}), servers.config, { log }),
      startService(hypothesis, servers.config, { log }),
      startService(experiment, servers.config, { log }),
    ])
    running.push(...started)
    const [{ runtime }] = started
    const cycleId = newCycleId()
    const requested = { type: 'cycle.requested' as const, revision: 0, data: { options: graph, deadlineMs: 1000 } }
    await runtime.store.withTenant(tenant, (tx) => runtime.emit(tx, { tenantId: tenant, cycleId }, [requested]))
    const measurement = artefactId.parse(await finished.promise)
    const { artefacts } = runtime.documents({ tenantId: tenant, cycleId })
    expect(await artefacts.get(measurement, z.unknown())).toEqual({ of: graph })

    const metrics = await (await fetch(`${started[2].url}/metrics`)).text()
    expect(metrics).toContain('ordeal_messages_total{event="measurement.requested",how="ack",service="experiment"} 1')
    expect(metrics).toContain('ordeal_phases{kind="queued",service="experiment"} 0')
    for (const gauge of ['ordeal_queue_oldest_seconds', 'ordeal_outbox_oldest_seconds', 'ordeal_dead_letters'])
      expect(metrics).toContain(`${gauge}{kind="all",service="experiment"} 0`)
    expect(metrics).toContain('ordeal_leases_lost_total{service="experiment"} 0')
    expect(metrics).toContain('ordeal_phase_seconds_count{service="experiment",phase="measure",how="done"} 1')
  })

  it('tell whether they live and are ready, and close what they opened', async () => {
    const service = await startService(specService('analysis', {}), servers.config, { log })
    running.push(service)
    expect(await (await fetch(`${service.url}/livez`)).json()).toEqual({ status: 'ok', service: 'analysis' })
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    const state = signal<number>()
    service.runtime.lifecycle.join({
      name: 'spec',
      drain: async () => state.resolve((await fetch(`${service.url}/readyz`)).status),
    })
    await service.stop()
    expect(await state.promise).toBe(503)
    const port = Number(new URL(service.url).port)
    const refused = new Promise((resolve) => connect({ port, host: '127.0.0.1' }).on('error', resolve))
    expect(await refused).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('end open requests when they stop', async () => {
    const service = await startService(specService('analysis', {}), servers.config, { log })
    const { hostname, port } = new URL(service.url)
    const idle = connect({ port: Number(port), host: hostname })
    await new Promise((resolve) => idle.on('connect', resolve))
    const closed = new Promise((resolve) => idle.on('close', resolve))
    await service.stop()
    await closed
  })

  it.each([
    ['a database that is not there', { databaseUrl: 'postgres://x:y@127.0.0.1:1/z' }, 'ready'],
    ['NATS that is not there', { natsUrl: 'nats://127.0.0.1:1' }, 'no NATS server answers at 127.0.0.1:1'],
    ['a plumbing role that is refused', { plumbingDatabaseUrl: 'postgres://x:y@127.0.0.1:1/z' }, 'ECONNREFUSED'],
  ])('do not start with %s, and leave nothing open', async (what, change, words) => {
    const attempt = startService(specService('analysis', {}), { ...servers.config, ...change }, { log })
    if (words === 'ready') {
      // The application's pool connects when it is first needed; readiness tells.
      const service = await attempt
      expect((await fetch(`${service.url}/readyz`)).status).toBe(503)
      await service.stop()
    } else {
      await expect(attempt).rejects.toThrow(words)
    }
    expect(what).toBeDefined()
  })

  it('do not start on a database without tables', async () => {
    const url = new URL(servers.config.plumbingDatabaseUrl)
    url.pathname = '/postgres'
    const config = { ...servers.config, plumbingDatabaseUrl: url.href }
    await expect(startService(specService('analysis', {}), config, { log })).rejects.toMatchObject({
      code: 'database-not-migrated',
    })
  })
})
