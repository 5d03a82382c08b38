import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { STREAM } from '../events/catalogue.js'
import { newCycleId, tenantId, type ArtefactId } from '../ids.js'
import { connectBroker } from '../messaging/connection.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { signal, specService, startSpecServers, type SpecServers } from '../testing/spec-services.js'
import { startService, type RunningService } from './start-service.js'

const PROGRAM = fileURLToPath(new URL('../../dist/testing/crash-child.js', import.meta.url))
const tenant = tenantId.parse('acme')
const some = `sha256:${'1'.repeat(64)}` as ArtefactId

/** Every seam between an effect and its record, in the order in which one cycle comes to them. */
const SEAMS = [
  'message:before-commit',
  'message:committed',
  'phase:claimed',
  'step:worked:deploy',
  'step:recorded:deploy',
  'step:worked:sample',
  'phase:before-end',
  'phase:ended',
  'relay:claimed',
  'relay:published',
]

interface Child {
  readonly child: ChildProcess
  readonly ended: Promise<unknown[]>
  readonly output: string[]
  /** Resolves when the service has said that it runs. */
  readonly runs: Promise<void>
}

describe('a service as a process', () => {
  let servers: SpecServers
  let gateway: RunningService
  const finished = signal()
  const children: ChildProcess[] = []
  beforeAll(async () => {
    servers = await startSpecServers()
    const accept = {
      'measurement.finished': () => {
        finished.resolve()
        return {}
      },
    }
    gateway = await startService(specService('gateway', accept), servers.config, { log })
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await gateway.stop()
    await servers.stop()
  })

  const start = (more: Record<string, string> = {}): Child => {
    const { config } = servers
    const env = {
      DATABASE_URL: config.databaseUrl,
      PLUMBING_DATABASE_URL: config.plumbingDatabaseUrl,
      NATS_URL: config.natsUrl,
      ORDEAL_VAULT_KEY: Buffer.from(config.vaultKey).toString('base64'),
      PHASE_LEASE: '1s',
      NODE_ENV: 'test',
      ...more,
    }
    const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    const output: string[] = []
    child.stdout.on('data', (data: Buffer) => output.push(...data.toString().split('\n').filter(Boolean)))
    child.stderr.on('data', (data: Buffer) => output.push(...data.toString().split('\n').filter(Boolean)))
    const runs = new Promise<void>((resolve) => {
      child.stderr.on('data', () => output.some((line) => line.includes('the service runs')) && resolve())
    })
    return { child, ended: once(child, 'close'), output, runs }
  }
  const isEffect = (line: string): boolean => line === 'deploy' || line === 'sample'

  it('loses nothing and repeats nothing by a kill -9 at every seam in turn', async () => {
    const cycleId = newCycleId()
    const requested = {
      type: 'measurement.requested' as const,
      revision: 0,
      data: { graph: some, manifests: some, request: some },
    }
    await gateway.runtime.store.withTenant(tenant, (tx) =>
      gateway.runtime.emit(tx, { tenantId: tenant, cycleId }, [requested]),
    )
    const effects: string[] = []
    for (const seam of SEAMS) {
      const { ended, output } = start({ ORDEAL_CRASH_AT: seam })
      expect([seam, ...(await ended)]).toEqual([seam, null, 'SIGKILL'])
      effects.push(...output.filter(isEffect))
    }
    const last = start()
    await Promise.all([finished.promise, last.runs])
    last.child.kill('SIGTERM')
    expect(await last.ended).toEqual([0, null])
    // A step that was killed after its effect and before its record is the one thing that runs again: it adopts.
    expect([...effects, ...last.output.filter(isEffect)]).toEqual(['deploy', 'deploy', 'sample', 'sample'])

    const broker = await connectBroker(servers.natsUrl, 'spec', log)
    const subject = `ordeal.acme.${cycleId}.measurement.finished`
    const info = await broker.manager.streams.info(STREAM, { subjects_filter: subject })
    expect(info.state.subjects).toEqual({ [subject]: 1 })
    await broker.close()
  }, 90_000)

  it('is not to be killed by a variable that slipped into production', async () => {
    const { ended, output } = start({ ORDEAL_CRASH_AT: 'phase:claimed', NODE_ENV: 'production' })
    expect(await ended).toEqual([1, null])
    expect(output.at(-1)).toContain('ORDEAL_CRASH_AT kills the process')
  })

  it('exits with 1 and names every bad variable when it cannot start', async () => {
    const { ended, output } = start({ NATS_URL: '', PORT: 'x' })
    expect(await ended).toEqual([1, null])
    const line = JSON.parse(output.at(-1) ?? '{}') as { message: string; reason: string }
    expect(line.message).toBe('experiment could not start')
    expect(line.reason).toContain('NATS_URL is not set')
    expect(line.reason).toContain('PORT is not a whole number')
  })
})
