import { newCycleId, tenantId } from '../ids.js'
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
      const request = { owner: 'spec', leaseMs: 60_000, slots: 1, finalSlots: 0, tenantCap: 9 }
      const [claimed] = await store.withPlumbing((tx) => claimPhases(tx, 'experiment', request))
      if (claimed?.cycleId !== cycleId) throw new Error('another phase was claimed')
      held = claimed
      return claimed
    }
    const deps = {
      store,
      broker,
      service: 'experiment' as const,
      cipher: createVaultCipher(servers.config.vaultKey),
      crashpoints: noCrashpoints,
      log,
    }
    return Promise.resolve(async (revision: number) => {
      const phase = await attempt(revision)
      const timing = { claimedAt: performance.now(), leaseMs: 60_000 }
      return createPhaseContext(deps, phase, new Lease(phase.id, phase.token, () => performance.now(), timing))
    })
  })
})
