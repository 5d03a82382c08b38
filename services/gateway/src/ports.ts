import { createHash } from 'node:crypto'
import {
  type CycleKey,
  type EventDraft,
  type Logger,
  type ServiceRuntime,
  startTrace,
  type Store,
  type Tx,
  type VaultCipher,
} from '@ordeal/shared'
import { EVENTS_CHANNEL } from './db/project-event.sql.js'
import { WakeUps } from './follow-cycle/wake-ups.js'

/** What the gateway's handlers work with. */
export interface GatewayPorts {
  readonly log: Logger
  readonly store: Store
  readonly cipher: VaultCipher
  /** News of cycles, from all replicas. */
  readonly wakeUps: WakeUps
  /** Aborts when the service stops: open streams end then. */
  readonly stopping: AbortSignal
  /** Reads that all event streams may do at once. */
  readonly streamReaders: number
  /** Opens what belongs to no tenant; null where nobody may. */
  readonly adminKey: string | null
  /** Hosts at which tenants may have models of their own. */
  readonly modelHosts: readonly string[]
  /** Publishes events of a cycle with the transaction that decides them. */
  emit(tx: Tx, key: CycleKey, drafts: readonly EventDraft[]): Promise<void>
  /** The log for what concerns one cycle: its lines carry the cycle's trace. */
  logOf(key: CycleKey): Logger
}

/** What the operator of the installation decides. */
export type Installation = Pick<GatewayPorts, 'adminKey' | 'modelHosts'>

/** Injects the GatewayPorts. */
export const PORTS = Symbol('GatewayPorts')

/** The ports over the service's runtime; they close with it. */
export function portsOf(runtime: ServiceRuntime, { adminKey, modelHosts }: Installation): GatewayPorts {
  const { log, store, cipher, lifecycle, config } = runtime
  const streamReaders = Math.max(1, Math.floor(config.databasePool / 2))
  const wakeUps = new WakeUps()
  const stopping = new AbortController()
  store.listen(EVENTS_CHANNEL, (cycleId) => wakeUps.announce(cycleId))
  lifecycle.join({ name: 'event streams', stop: () => stopping.abort() })
  const emit: GatewayPorts['emit'] = (tx, key, drafts) => runtime.emit(tx, { ...key, trace: traceOf(key) }, drafts)
  const logOf: GatewayPorts['logOf'] = (key) => log.scope({ ...key, traceId: traceOf(key).traceId })
  return { log, logOf, store, cipher, wakeUps, stopping: stopping.signal, streamReaders, adminKey, modelHosts, emit }
}

/** A cycle has one trace. Its id follows from the cycle's, so that a later request of a user joins the same one. */
function traceOf({ cycleId }: CycleKey): ReturnType<typeof startTrace> {
  const traceId = createHash('sha256').update(cycleId).digest('hex').slice(0, 32)
  return startTrace(`00-${traceId}-${traceId.slice(0, 16)}-01`)
}
