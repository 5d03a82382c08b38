import { newCycleId, tenantId } from '../ids.js'
import { type EventDraft, type PhaseContext } from '../service/definition.js'
import { hashOf } from '../store/canonical-json.js'
import { connectBroker, type Broker } from '../messaging/connection.js'
import { createStore, type Store } from '../store/store.js'
import { createVaultCipher } from '../store/vault-cipher.js'
import { noCrashpoints } from '../telemetry/crashpoints.js'
import { describePhaseContext } from '../testing/context-contract.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { startSpecServers, type SpecServers } from '../testing/spec-services.js'
import { claimPhases, type ClaimedPhase } from './claim-phases.js'
import { endPhase } from './end-phase.js'
import { Lease } from './lease.js'
import { createPhaseContext } from './phase-context.js'

describe('the context on real servers', () => {
  let servers: SpecServers
  let store: Store
  let broker: Broker
  const tenant = tenantId.parse('acme')
  beforeAll(async () => {
    servers = await startSpecServers()
    store = createStore({ ...servers.config, poolSize: 3, name: 'spec' }, log)
    broker = await connectBroker(servers.natsUrl, 'spec', log)
  })
  afterAll(async () => {
    await broker.close()
    await store.close()
    await servers.stop()
  })

  const claim = (slots = 1): Promise<ClaimedPhase[]> => {
    const request = { owner: 'spec', leaseMs: 60_000, slots, finalSlots: 0, tenantCap: 9 }
    return store.withPlumbing((tx) => claimPhases(tx, 'experiment', request))
  }
  const contextOf = (phase: ClaimedPhase): PhaseContext => {
    const deps = {
      store,
      broker,
      service: 'experiment' as const,
      cipher: createVaultCipher(servers.config.vaultKey),
      crashpoints: noCrashpoints,
      log,
    }
    const timing = { claimedAt: performance.now(), leaseMs: 60_000 }
    return createPhaseContext(deps, phase, new Lease(phase.id, phase.token, () => performance.now(), timing))
  }

  describePhaseContext('on Postgres', () => {
    const cycleId = newCycleId()
    let held: ClaimedPhase | undefined
    const attempt = async (revision: number): Promise<ClaimedPhase> => {
      if (held) await endPhase(store, 'experiment', held, { kind: 'released' })
      await store.withTenant(tenant, async (tx) => {
        await tx.query(`update experiment.phases set run_after = now() + interval '1 hour' where cycle_id = $1`, [
          cycleId,
        ])
        await tx.query(
          `insert into experiment.phases (tenant_id, cycle_id, revision, phase, input, correlation_id, traceparent)
           values ($1, $2, $3, 'measure', '{}', 'c', 't')
           on conflict (tenant_id, cycle_id, revision, phase) do update set run_after = now()`,
          [tenant, cycleId, revision],
        )
      })
      const [claimed] = await claim()
      if (claimed?.cycleId !== cycleId) throw new Error('another phase was claimed')
      held = claimed
      return claimed
    }
    const announced = async (): Promise<string[]> => {
      const rows = await store.withTenant(tenant, (tx) =>
        tx.query<{ type: string }>(
          `select envelope ->> 'type' as type from experiment.outbox where cycle_id = $1 order by sequence`,
          [cycleId],
        ),
      )
      return rows.map((row) => row.type)
    }
    return Promise.resolve({ attempt: async (revision: number) => contextOf(await attempt(revision)), announced })
  })

  it('announces nothing for a phase that somebody else holds, or on a closed cycle', async () => {
    const cycleId = newCycleId()
    const planned: EventDraft = { type: 'experiment.planned', revision: 0, data: { plan: hashOf('plan') } }
    const run = (sql: string): Promise<unknown[]> =>
      store.withTenant(tenant, (tx) => tx.query(sql, [...(sql.includes('$2') ? [tenant] : []), cycleId]))
    await run(`insert into experiment.phases (tenant_id, cycle_id, revision, phase, input, correlation_id, traceparent)
       values ($1, $2, 0, 'run', '{}', 'c', 't')`)
    const phase = (await claim(9)).find((one) => one.cycleId === cycleId) as ClaimedPhase
    await run('insert into experiment.cycle_states (tenant_id, cycle_id, closed) values ($1, $2, true)')
    await contextOf(phase).announce(planned)
    const lost = { ...phase, token: '77' }
    await expect(contextOf(lost).announce(planned)).rejects.toMatchObject({ code: 'aborted-lease-lost' })
    expect(await run('select from experiment.outbox where cycle_id = $1')).toEqual([])
  })
})
