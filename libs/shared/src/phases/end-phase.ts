import { AbortedError } from '../errors.js'
import { type ServiceName } from '../events/catalogue.js'
import { insertQuestion, selectWaitMs } from '../people/approvals.sql.js'
import { addArtefact } from '../store/cycle-documents.js'
import { stageArtefacts } from '../store/stage-artefacts.js'
import { type Store } from '../store/store.js'
import { emitEvents, lockCycle, wakeOthers, type DecisionPlace, type Wake } from '../messaging/decision.js'
import { type EventDraft } from '../service/definition.js'
import { type ClaimedPhase } from './claim-phases.js'
import { type PhaseOutcome } from './phase-outcome.js'

/** An outcome that is written; a lost phase is another's to end. */
export type WrittenOutcome = Exclude<PhaseOutcome, { kind: 'lost' }>

const STATES = {
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  retry: 'queued',
  suspended: 'queued',
  released: 'queued',
} as const

function draftsOf(phase: ClaimedPhase, service: ServiceName, outcome: WrittenOutcome): readonly EventDraft[] {
  if (outcome.kind === 'done') return outcome.emit
  if (outcome.kind !== 'failed') return []
  const { code, message } = outcome
  return [{ type: 'phase.failed', revision: phase.revision, data: { service, phase: phase.phase, code, message } }]
}

/** What an attempt ends with, as it is written. */
interface Ending {
  readonly outcome: WrittenOutcome
  /** Not claimed again before, in milliseconds from now. */
  readonly delayMs: number
  readonly drafts: readonly EventDraft[]
}

async function writeState(
  { tx, schema }: DecisionPlace,
  phase: ClaimedPhase,
  { outcome, delayMs }: Ending,
): Promise<void> {
  const state = STATES[outcome.kind]
  const problem = outcome.kind === 'failed' || outcome.kind === 'retry' ? outcome : null
  const rows = await tx.query(
    `update ${schema}.phases
     set state = $3, run_after = now() + $4 * interval '1 ms', failures = failures + $5,
         error_code = $6, error_message = $7, lease_owner = null, lease_until = null,
         ended_at = case when $3 = 'queued' then null else now() end
     where id = $1 and token = $2 and state = 'running'
     returning 1`,
    [phase.id, phase.token, state, delayMs, problem ? 1 : 0, problem?.code ?? null, problem?.message ?? null],
  )
  if (rows.length === 0) throw new AbortedError('lease-lost')
}

/** Puts what was not asked before to people; what a suspended phase waits for is read in the same transaction. */
async function ask({ tx, schema }: DecisionPlace, phase: ClaimedPhase, outcome: Suspension): Promise<Ending> {
  const drafts: EventDraft[] = []
  const staged = stageArtefacts()
  for (const { proposal, terms } of outcome.questions) {
    const { what, revision } = proposal
    const id = await staged.put('proposal', proposal, { name: what, revision })
    const asking = { id, service: schema, phase: phase.phase, revision: phase.revision, what, terms }
    const expiresAt = await insertQuestion(tx, phase, asking)
    if (!expiresAt) continue
    const data = { proposal: id, service: schema, phase: phase.phase, what, byDefault: terms.byDefault }
    drafts.push({
      type: 'approval.requested',
      revision: phase.revision,
      data: { ...data, expiresAt: expiresAt.toISOString() },
    })
  }
  for (const entry of staged.entries) await addArtefact(tx, phase, entry)
  const ids = staged.entries.map(({ id }) => id)
  const delayMs = ids.length > 0 ? await selectWaitMs(tx, phase, ids) : outcome.forMs
  return { outcome, delayMs, drafts }
}

type Suspension = Extract<WrittenOutcome, { kind: 'suspended' }>

/** How many events an outcome may bring, known before anything is written. */
const mostEvents = (outcome: WrittenOutcome, drafts: readonly EventDraft[]): number =>
  outcome.kind === 'suspended' ? outcome.questions.length : drafts.length

/** Only a phase that is queued again is for other replicas: this one looks for the cycle's next phase by itself. */
const wakesOf = ({ kind }: WrittenOutcome, drafts: readonly EventDraft[]): Wake[] => [
  ...(drafts.length > 0 ? (['outbox'] as const) : []),
  ...(STATES[kind] === 'queued' ? (['phases'] as const) : []),
]

/**
 * Ends an attempt in one transaction: state, documents and outbox rows, guarded by the fencing token. What a phase of a cycle that
 * was closed meanwhile brought is dropped, whatever it was. Answers how it ended; throws AbortedError `lease-lost` when
 * somebody else holds the phase.
 */
export async function endPhase(
  store: Store,
  service: ServiceName,
  phase: ClaimedPhase,
  outcome: WrittenOutcome,
): Promise<WrittenOutcome['kind']> {
  const { tenantId, cycleId, correlationId, causationId, traceparent } = phase
  return store.withTenant(tenantId, async (tx) => {
    const origin = { tenantId, cycleId, correlationId, causationId, traceparent }
    const place = { tx, schema: service, origin }
    const known = draftsOf(phase, service, outcome)
    const state = await lockCycle(place, { events: mostEvents(outcome, known), close: false })
    const late = state.closed && !phase.final
    if (late) {
      await writeState(place, phase, { outcome: { kind: 'cancelled' }, delayMs: 0, drafts: [] })
      return 'cancelled'
    }
    const ending =
      outcome.kind === 'suspended'
        ? await ask(place, phase, outcome)
        : { outcome, delayMs: outcome.kind === 'retry' ? outcome.delayMs : 0, drafts: known }
    await writeState(place, phase, ending)
    if (outcome.kind === 'done') for (const entry of outcome.keep) await addArtefact(tx, phase, entry)
    await emitEvents(place, ending.drafts, state.events)
    await wakeOthers(place, wakesOf(outcome, ending.drafts))
    return outcome.kind
  })
}
