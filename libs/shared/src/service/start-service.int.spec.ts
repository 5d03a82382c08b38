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
  afterAll(async () => {
    await Promise.all(running.map((service) => service.stop()))
    await servers.stop()
  })

  it('carries an event from one service through a phase of another and back', async () => {
    const finished = signal<{ measurement: string; causation: string | null }>()
    const hypothesis = specService('hypothesis', {
      'cycle.requested': (message) => ({
        emit: [
          {
            type: 'measurement.requested',
            revision: 0,
            data: { graph: message.data.options, manifests: graph, request: graph },
          },
        ],
      }),
      'measurement.finished': (message) => {
        finished.resolve({ measurement: message.data.measurement, causation: message.causationId })
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
        measure: async (context, input) => {
          const value = await context.step('sample', z.object({ of: z.string() }), () =>
            Promise.resolve({ of: String(input.graph) }),
          )
          const measurement = await context.artefacts.put('measurement', value)
          return [{ type: 'measurement.finished', revision: 0, data: { measurement } }]
        },
      },
    )
    const started = performance.now()
    running.push(
      ...(await Promise.all([
        startService(hypothesis, servers.config, { log }),
        startService(experiment, servers.config, { log }),
        startService(specService('gateway', {}), servers.config, { log }),
      ])),
    )
    process.stderr.write(`started in ${Math.round(performance.now() - started)} ms\n`)
    const runtime = running[2]?.runtime
    if (!runtime) throw new Error('no gateway')
    const cycleId = newCycleId()
    const options = await runtime.documents({ tenantId: tenant, cycleId }).artefacts.put('options', { a: 1 })
    const t = performance.now()
    await runtime.store.withTenant(tenant, (tx) =>
      runtime.emit(tx, { tenantId: tenant, cycleId }, [
        { type: 'cycle.requested', revision: 0, data: { options, deadlineMs: 1000 } },
      ]),
    )
    const { measurement } = await finished.promise
    process.stderr.write(`round trip ${Math.round(performance.now() - t)} ms\n`)
    const { artefacts } = runtime.documents({ tenantId: tenant, cycleId })
    expect(await artefacts.get(artefactId.parse(measurement), z.unknown())).toEqual({ of: options })
    expect(await (await fetch(`${running[0]?.url}/readyz`)).json()).toEqual({ status: 'ok', service: 'hypothesis' })
    process.stderr.write(await (await fetch(`${running[1]?.url}/metrics`)).text())
  })
})
