import { type ServiceConfig } from '../config/service-config.js'
import { type ServiceName } from '../events/catalogue.js'
import { type Lifecycle } from '../lifecycle/lifecycle.js'
import { type Logger } from '../logging/logger.js'
import { type Broker } from '../messaging/connection.js'
import { emitEvents, lockCycle, wakeOthers } from '../messaging/decision.js'
import { onProgress, type ProgressNote } from '../messaging/progress.js'
import { createPostgresArtefacts, createPostgresVault, type CycleKey } from '../store/cycle-documents.js'
import { type Store } from '../store/store.js'
import { type Tx } from '../store/tx.js'
import { type VaultCipher } from '../store/vault-cipher.js'
import { type Metrics } from '../telemetry/metrics.js'
import { startTrace, type Trace } from '../telemetry/trace.js'
import { type ArtefactStore, type EventDraft, type Vault } from './definition.js'

/** Where an event of a user's request belongs. */
export interface RequestOrigin extends CycleKey {
  /** The cycle's trace; a new one when it is left out. */
  readonly trace?: Trace
}

/** What a service's own modules (controllers, projections) may use of its runtime; injected by SERVICE_RUNTIME. */
export interface ServiceRuntime {
  readonly name: ServiceName
  readonly config: ServiceConfig
  readonly log: Logger
  readonly store: Store
  readonly cipher: VaultCipher
  readonly metrics: Metrics
  /** Join it to end open streams when the service stops. */
  readonly lifecycle: Lifecycle
  documents(key: CycleKey): { artefacts: ArtefactStore; vault: Vault }
  /** Puts events that a user's request leads to into the outbox, with the transaction that decides them. */
  emit(tx: Tx, origin: RequestOrigin, drafts: readonly EventDraft[]): Promise<void>
  /** Hands each progress note to one replica of this service, until it stops. */
  onProgress(handle: (note: ProgressNote) => void): void
  /** Answers whether Postgres and NATS answer and the service is running. */
  ready(): Promise<boolean>
}

/** Injects the ServiceRuntime. */
export const SERVICE_RUNTIME = Symbol('ServiceRuntime')

/** The parts of a runtime that are made first. */
export interface RuntimeParts {
  readonly name: ServiceName
  readonly config: ServiceConfig
  readonly log: Logger
  readonly store: Store
  readonly cipher: VaultCipher
  readonly broker: Broker
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
}

const READY_TIMEOUT_MS = 2000

export function createRuntime(parts: RuntimeParts): ServiceRuntime {
  const { name, store, cipher, broker, lifecycle, log } = parts
  return {
    ...parts,
    documents: (key) => ({
      artefacts: createPostgresArtefacts(store, key),
      vault: createPostgresVault(store, key, cipher),
    }),
    emit: async (tx, { tenantId, cycleId, trace = startTrace() }, drafts) => {
      const origin = {
        tenantId,
        cycleId,
        correlationId: trace.traceId,
        causationId: null,
        traceparent: trace.traceparent,
      }
      const place = { tx, schema: name, origin }
      const { events } = await lockCycle(place, { events: drafts.length, close: false })
      await emitEvents(place, drafts, events)
      await wakeOthers(place, ['outbox'])
    },
    onProgress: (handle) => {
      const stop = onProgress(broker, name, handle)
      lifecycle.join({ name: 'progress notes', stop })
    },
    ready: async () => {
      if (lifecycle.state !== 'RUNNING') return false
      try {
        await Promise.all([store.ping(READY_TIMEOUT_MS), broker.ping(READY_TIMEOUT_MS)])
        return true
      } catch (error) {
        log.warn('not ready', { reason: (error as Error).message })
        return false
      }
    },
  }
}
