import { AbortedError, coerceError, TerminalError } from '../errors.js'
import { type EventDraft, type PhaseHandler } from '../service/definition.js'
import { StoreUnavailableError } from '../store/errors.js'
import { stageArtefacts } from '../store/stage-artefacts.js'
import { type Metrics } from '../telemetry/metrics.js'
import { type ClaimedPhase } from './claim-phases.js'
import { endPhase, type WrittenOutcome } from './end-phase.js'
import { type Lease } from './lease.js'
import { createPhaseContext, type ContextDeps } from './phase-context.js'
import { outcomeOfError, type PhaseOutcome } from './phase-outcome.js'

export interface RunPhaseDeps extends ContextDeps {
  readonly handlers: Readonly<Record<string, PhaseHandler>>
  readonly metrics: Metrics
}

/** A phase that took down its process this often is given up. */
const MAX_LOST_LEASES = 25
const END_AGAIN_MS = 250

function handlerOf(deps: RunPhaseDeps, phase: ClaimedPhase): PhaseHandler {
  const handler = deps.handlers[phase.phase]
  if (!handler) throw new TerminalError('phase-unknown', `this build of ${deps.service} has no phase ${phase.phase}`)
  if (phase.lostLeases > MAX_LOST_LEASES) {
    throw new TerminalError('phase-lost', `whoever ran ${phase.phase} vanished ${phase.lostLeases} times`)
  }
  return handler
}

async function attempt(deps: RunPhaseDeps, phase: ClaimedPhase, lease: Lease): Promise<PhaseOutcome> {
  const atEnd = stageArtefacts()
  const context = createPhaseContext(deps, phase, lease, atEnd)
  try {
    await deps.crashpoints.hit('phase:claimed')
    const emit: readonly EventDraft[] = await handlerOf(deps, phase)(context, phase.input)
    return lease.reason === 'cancelled' ? { kind: 'cancelled' } : { kind: 'done', emit, keep: atEnd.entries }
  } catch (error) {
    const outcome = outcomeOfError(error, phase.failures, lease.reason)
    const { message, stack } = coerceError(error)
    if (outcome.kind === 'failed' || outcome.kind === 'retry') {
      const bug = outcome.code === 'bug' ? { stack } : {}
      context.log[outcome.kind === 'failed' ? 'error' : 'warn']('a phase failed', { ...outcome, message, ...bug })
    }
    return outcome
  }
}

/** Writes the end, and goes on trying through an outage for as long as nobody else can have the phase. */
async function writeEnd(
  deps: RunPhaseDeps,
  phase: ClaimedPhase,
  lease: Lease,
  outcome: WrittenOutcome,
): Promise<string> {
  for (;;) {
    try {
      return await endPhase(deps.store, deps.service, phase, outcome)
    } catch (error) {
      if (error instanceof AbortedError) return 'lost'
      if (!(error instanceof StoreUnavailableError) || !lease.valid) throw error
      await new Promise((resolve) => setTimeout(resolve, END_AGAIN_MS))
    }
  }
}

/** What cannot be written because of what the phase returned is a failure of the phase. */
async function end(deps: RunPhaseDeps, phase: ClaimedPhase, lease: Lease, outcome: PhaseOutcome): Promise<string> {
  if (outcome.kind === 'lost') return 'lost'
  try {
    return await writeEnd(deps, phase, lease, outcome)
  } catch (error) {
    if (error instanceof StoreUnavailableError || outcome.kind !== 'done') throw error
    const instead = outcomeOfError(error, phase.failures, null)
    return instead.kind === 'lost' ? 'lost' : writeEnd(deps, phase, lease, instead)
  }
}

/** Runs a claimed phase to its end. Never throws: what cannot be written comes back when the lease runs out. */
export async function runPhase(deps: RunPhaseDeps, phase: ClaimedPhase, lease: Lease): Promise<void> {
  const startedAt = performance.now()
  const { tenantId, cycleId, revision, correlationId: traceId } = phase
  const log = deps.log.scope({ tenantId, cycleId, revision, phase: phase.phase, traceId })
  try {
    const outcome = await attempt(deps, phase, lease)
    await deps.crashpoints.hit('phase:before-end')
    const how = await end(deps, phase, lease, outcome)
    await deps.crashpoints.hit('phase:ended')
    const ms = Math.round(performance.now() - startedAt)
    deps.metrics.phaseEnded(phase.phase, how, ms)
    log.info('a phase ended', { how, ms })
  } catch (error) {
    log.warn('the end of a phase could not be written; its lease will run out', { reason: coerceError(error).message })
  }
}
