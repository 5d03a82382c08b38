import { type ServiceName } from '../events/catalogue.js'
import { type Envelope } from '../events/envelope.js'
import { type Accepted } from '../service/definition.js'
import { type Store } from '../store/store.js'
import { type Tx } from '../store/tx.js'
import { type Crashpoints } from '../telemetry/crashpoints.js'
import {
  cancelPhases,
  emitEvents,
  lockCycle,
  resumePhase,
  startPhases,
  wakeOthers,
  type DecisionPlace,
  type Wake,
} from './decision.js'

/** What became of a message: its effect took place now, or had taken place before. */
export type Acceptance = 'applied' | 'duplicate'

export interface AcceptDeps {
  readonly store: Store
  readonly service: ServiceName
  /** Names of the service's phases: a start of another one is a bug that must not reach the table. */
  readonly phases: readonly string[]
  readonly crashpoints: Crashpoints
}

async function isNew(tx: Tx, schema: ServiceName, { tenantId, messageId }: Envelope): Promise<boolean> {
  const rows = await tx.query(
    `insert into ${schema}.inbox (tenant_id, message_id) values ($1, $2) on conflict do nothing returning 1`,
    [tenantId, messageId],
  )
  return rows.length > 0
}

const wakesOf = ({ start = [], emit = [], resume, close = false }: Accepted): Wake[] => [
  ...(start.length > 0 || resume ? (['phases'] as const) : []),
  ...(emit.length > 0 ? (['outbox'] as const) : []),
  ...(close ? (['cancel'] as const) : []),
]

/** Writes what accepting a message leads to. A cycle is closed before its phases start, so only final ones do. */
async function applyAccepted(place: DecisionPlace, accepted: Accepted): Promise<void> {
  const { start = [], emit = [], resume, close = false, write } = accepted
  const wakes = wakesOf(accepted)
  if (wakes.length > 0) {
    const state = await lockCycle(place, { events: emit.length, close })
    if (close) await cancelPhases(place)
    await startPhases(place, start, state.closed)
    if (resume) await resumePhase(place, resume)
    await emitEvents(place, emit, state.events)
  }
  await write?.(place.tx)
  await wakeOthers(place, wakes)
}

function refuseUnknownPhases(accepted: Accepted, known: readonly string[]): void {
  const unknown = accepted.start?.find((start) => !known.includes(start.phase))
  if (unknown) throw new Error(`phase ${unknown.phase} was started, but the service has no such phase`)
}

/**
 * The inbox transaction: a message has its whole effect once, or none. `decide` must be free of effects, since it is
 * asked again for a message that comes again.
 */
export async function acceptMessage(
  deps: AcceptDeps,
  message: Envelope,
  decide: () => Promise<Accepted>,
): Promise<Acceptance> {
  const accepted = await decide()
  refuseUnknownPhases(accepted, deps.phases)
  const { tenantId, cycleId, correlationId, messageId: causationId, traceparent } = message
  const origin = { tenantId, cycleId, correlationId, causationId, traceparent }
  return deps.store.withTenant(tenantId, async (tx) => {
    if (!(await isNew(tx, deps.service, message))) return 'duplicate'
    await applyAccepted({ tx, schema: deps.service, origin }, accepted)
    await deps.crashpoints.hit('message:before-commit')
    return 'applied'
  })
}
