import { type z } from 'zod'
import { type Answer, type ApprovalTerms, type Proposal } from '../artefacts/approval.js'
import { type SpendLimits } from '../artefacts/cycle.js'
import { type ConsumedBy, type EventData, type EventKey, type ServiceName } from '../events/catalogue.js'
import { type Envelope } from '../events/envelope.js'
import { type ArtefactId, type CycleId, type TenantId } from '../ids.js'
import { type Tx } from '../store/tx.js'
import { type Logger } from '../logging/logger.js'

/** A phase to be worked on by a runner of the same service. `input` holds ids and settings, never bodies. */
export interface PhaseStart {
  readonly phase: string
  readonly revision: number
  readonly input: Record<string, unknown>
  /** Not claimed before this long from now. */
  readonly delayMs?: number
  /** Runs even when the cycle is closed (cancelled or concluded), which drops every other start. */
  readonly final?: boolean
}

/** An event to be published with the transaction that decides it. */
export type EventDraft = {
  [K in EventKey]: { readonly type: K; readonly revision: number; readonly data: EventData<K> }
}[EventKey]

/** What accepting a message leads to, within the inbox transaction. */
export interface Accepted {
  readonly start?: readonly PhaseStart[]
  readonly emit?: readonly EventDraft[]
  /** Gives a suspended phase to the next runner; one that is not suspended is left as it is. */
  readonly resume?: { readonly phase: string; readonly revision: number }
  /** Aborts the cycle's running phases in this service, drops its queued ones and all later starts but final ones. */
  readonly close?: boolean
  /** Writes to the service's own tables within the same transaction (the gateway's projection). */
  readonly write?: (tx: Tx) => Promise<void>
}

/** A service's answers to the events it consumes: pure, quick, without I/O. One for each, or it does not compile. */
export type AcceptTable<S extends ServiceName> = {
  readonly [K in ConsumedBy<S>]: (message: Envelope<K>) => Accepted
}

/** Documents of a cycle: immutable, content-addressed. */
export interface ArtefactStore {
  /** Stores `body` as canonical JSON under its hash; storing the same again is the same artefact. */
  put(kind: string, body: unknown, about?: { name?: string; revision?: number }): Promise<ArtefactId>
  /** Reads and validates. Throws TerminalError `artefact-missing` when it is not there. */
  get<T>(id: ArtefactId, schema: z.ZodType<T>): Promise<T>
  /** The newest artefact of a kind (and revision), or null. */
  latest<T>(kind: string, schema: z.ZodType<T>, revision?: number): Promise<T | null>
  /** All artefacts of a kind in order of creation. */
  all<T>(kind: string, schema: z.ZodType<T>): Promise<T[]>
}

/** Where documents are put that belong to something larger: they are kept when it is, all or none. */
export type ArtefactWriter = Pick<ArtefactStore, 'put'>

/** Documents that hold credentials (the user's files, the values behind references): encrypted, apart from artefacts. */
export interface Vault {
  put(name: string, body: unknown): Promise<void>
  get<T>(name: string, schema: z.ZodType<T>): Promise<T>
}

/** What requests to models cost, or may cost. */
export interface Spend {
  readonly calls: number
  readonly tokens: number
  /** 0 where the price is not known. */
  readonly usd: number
}

/** What the models of a cycle may cost: its own limits, and its tenant's for the calendar month (UTC). */
export interface Budget {
  /**
   * Sets aside what a request may cost at most. Answers null, or which limit would be passed, in words: then nothing is
   * set aside. A reservation that is never settled (a crash) stays, so that a limit is never passed.
   */
  reserve(most: Spend, limits: SpendLimits): Promise<string | null>
  /** Puts what a request did cost in the place of what was set aside for it. */
  settle(reserved: Spend, actual: Spend): Promise<void>
}

/** What people are asked. */
export interface Question {
  readonly proposal: Proposal
  readonly terms: ApprovalTerms
}

/** People who approve what a phase is about to go on with. */
export interface People {
  /** Their answer, or the one for when nobody answers in time. Throws Suspended as long as there is none. */
  answer(question: Question): Promise<Answer>
  /** How long the cycle has waited for people so far, in milliseconds. */
  waitedMs(): Promise<number>
}

/** What a phase has at hand while it runs. */
export interface PhaseContext {
  readonly tenantId: TenantId
  readonly cycleId: CycleId
  /** By the name that its service gives it. */
  readonly phase: string
  readonly revision: number
  /** Which attempt at the phase this is, from 1: more after a crash, an outage or a restart cut one short. */
  readonly attempt: number
  readonly log: Logger
  /** Aborts when the cycle is cancelled, the lease is lost, or the process stops; its reason is an AbortedError. */
  readonly signal: AbortSignal
  readonly artefacts: ArtefactStore
  /**
   * For documents that speak for the whole phase: written in the transaction that ends it, with its events. Of an
   * attempt that dies, or whose cycle was closed meanwhile, nothing is kept.
   */
  readonly atEnd: ArtefactWriter
  readonly vault: Vault
  readonly budget: Budget
  /** Not to be asked within a step, which would be begun anew. */
  readonly people: People
  /**
   * A durable step. Its result is kept under (cycle, revision, phase, step) and found again after a crash, so `work`
   * runs again only when it did not finish: make its effects adoptable. What it puts into `kept` is written with the
   * result, in one transaction; what it puts into `artefacts` stays even when the step is run again.
   */
  step<T>(name: string, schema: z.ZodType<T>, work: (kept: ArtefactWriter) => Promise<T>): Promise<T>
  /**
   * Publishes an event now instead of with the end of the phase, once per (cycle, revision, phase, event) whatever
   * crashes. Whoever consumes it must not take it for the end of anything: the phase may still fail.
   */
  announce(draft: EventDraft): Promise<void>
  /** Throws AbortedError when the lease has run out by this process's monotonic clock. Call it before each outside write. */
  assertLease(): void
  /** Tells people how it goes. Never load-bearing. */
  progress(note: Progress): void
}

/** A note for people who watch. `at` of the cluster's clock where the note is about a run. */
export interface Progress {
  readonly kind: 'phase' | 'step' | 'fault' | 'check' | 'note'
  readonly message: string
  readonly data?: Record<string, unknown>
}

/** The work of one phase; what it returns is published in the transaction that ends it. */
export type PhaseHandler = (context: PhaseContext, input: Record<string, unknown>) => Promise<readonly EventDraft[]>

/** A service, as its runtime needs it. */
export interface ServiceDefinition<S extends ServiceName = ServiceName> {
  readonly name: S
  readonly accept: AcceptTable<S>
  readonly phases: Record<string, PhaseHandler>
}

/** A service of any name, for the parts of the runtime that do not care which. */
export interface AnyService {
  readonly name: ServiceName
  readonly accept: Readonly<Record<string, (message: Envelope) => Accepted>>
  readonly phases: Record<string, PhaseHandler>
}
