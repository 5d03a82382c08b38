import { type CycleKey, type EventDraft, type Logger, type Store, type Tx, type VaultCipher } from '@ordeal/shared'
import { type WakeUps } from './follow-cycle/wake-ups.js'

/** What the gateway's handlers work with. */
export interface GatewayPorts {
  readonly log: Logger
  readonly store: Store
  readonly cipher: VaultCipher
  readonly wakeUps: WakeUps
  /** Aborts when the process stops: open streams end then. */
  readonly stopping: AbortSignal
  /** Publishes events of a cycle with the transaction that decides them. */
  emit(tx: Tx, key: CycleKey, drafts: readonly EventDraft[]): Promise<void>
  /** Tells whether cycles can be taken: Postgres and NATS answer. */
  ready(): Promise<boolean>
}

/** Injects the GatewayPorts. */
export const PORTS = Symbol('GatewayPorts')
