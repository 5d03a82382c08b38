import { type Broker } from '../messaging/connection.js'
import { sendProgress } from '../messaging/progress.js'
import { type ServiceName } from '../events/catalogue.js'
import { type Logger } from '../logging/logger.js'
import { type ArtefactWriter, type PhaseContext } from '../service/definition.js'
import { createPostgresBudget } from '../store/budget.js'
import { createPostgresArtefacts, createPostgresVault } from '../store/cycle-documents.js'
import { type Store } from '../store/store.js'
import { stageArtefacts } from '../store/stage-artefacts.js'
import { type VaultCipher } from '../store/vault-cipher.js'
import { type Crashpoints } from '../telemetry/crashpoints.js'
import { createPostgresPeople } from '../people/people.js'
import { announce } from './announce.js'
import { type ClaimedPhase } from './claim-phases.js'
import { durableStep } from './durable-step.js'
import { type Lease } from './lease.js'
import { createStepLedger } from './step-ledger.js'

export interface ContextDeps {
  readonly store: Store
  readonly service: ServiceName
  readonly cipher: VaultCipher
  readonly broker: Broker
  readonly crashpoints: Crashpoints
  readonly log: Logger
}

/** What a phase has at hand, on Postgres and NATS. `atEnd` collects what is to be written with its end. */
export function createPhaseContext(
  deps: ContextDeps,
  phase: ClaimedPhase,
  lease: Lease,
  atEnd: ArtefactWriter = stageArtefacts(),
): PhaseContext {
  const { store, service, cipher, broker, crashpoints } = deps
  const { tenantId, cycleId, revision } = phase
  const artefacts = createPostgresArtefacts(store, phase)
  const vault = createPostgresVault(store, phase, cipher)
  const assertRunning = (): void => lease.assert()
  const place = {
    phase: phase.phase,
    revision,
    artefacts,
    ledger: createStepLedger(store, service, phase),
    assertRunning,
  }
  return {
    tenantId,
    cycleId,
    phase: phase.phase,
    revision,
    // Every claim raises the token.
    attempt: Number(phase.token),
    log: deps.log.scope({ tenantId, cycleId, revision, phase: phase.phase, traceId: phase.correlationId }),
    signal: lease.signal,
    artefacts,
    atEnd,
    vault,
    budget: createPostgresBudget(store, phase),
    people: createPostgresPeople(store, service, phase, vault),
    step: async (name, schema, work) => {
      await crashpoints.hit(`step:before:${name}`)
      const result = await durableStep(place, name, schema, async (kept) => {
        const value = await work(kept)
        await crashpoints.hit(`step:worked:${name}`)
        return value
      })
      await crashpoints.hit(`step:recorded:${name}`)
      return result
    },
    announce: async (draft) => {
      assertRunning()
      await announce(store, service, phase, draft)
    },
    assertLease: assertRunning,
    progress: ({ kind, message, data }) => {
      const occurredAt = new Date().toISOString()
      sendProgress(broker, {
        tenantId,
        cycleId,
        revision,
        service,
        phase: phase.phase,
        occurredAt,
        kind,
        message,
        data,
      })
    },
  }
}
