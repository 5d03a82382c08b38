import { AbortedError } from '../errors.js'
import { cycleId, tenantId, type CycleId, type TenantId } from '../ids.js'
import { type Logger } from '../logging/logger.js'
import { durableStep } from '../phases/durable-step.js'
import { type ArtefactEntry } from '../store/artefact-store.js'
import { type PhaseContext, type Progress } from '../service/definition.js'
import { createMemoryCycle, type MemoryCycle } from './memory-cycle.js'

/** A phase's context without servers, and handles to what it did and to what may happen to it. */
export interface MemoryContext extends PhaseContext {
  /** The documents behind the context; give it to the next context to go on with the same cycle. */
  readonly cycle: MemoryCycle
  /** What was told to people, in order. */
  readonly notes: readonly Progress[]
  /** Cancels, stops or fences the phase, as the runner would. */
  abort(reason: 'cancelled' | 'lease-lost' | 'stopping'): void
}

export interface MemoryContextOptions {
  readonly cycle?: MemoryCycle
  readonly tenantId?: TenantId
  readonly cycleId?: CycleId
  readonly revision?: number
  readonly phase?: string
  readonly attempt?: number
  readonly log?: Logger
}

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  scope: () => silentLogger,
}

/**
 * The in-memory twin of the runner's context (the same contract suite runs on both): artefacts, vault and durable steps
 * behave as on Postgres.
 *
 * @example
 * const context = createMemoryContext({ revision: 1 })
 * const events = await handler(context, { manifests: id })
 * // after a "crash": createMemoryContext({ cycle: context.cycle, revision: 1 }) finds finished steps again
 */
export function createMemoryContext(options: MemoryContextOptions = {}): MemoryContext {
  const cycle = options.cycle ?? createMemoryCycle()
  const [revision, phase] = [options.revision ?? 0, options.phase ?? 'phase']
  const controller = new AbortController()
  const notes: Progress[] = []
  const assertRunning = (): void => controller.signal.throwIfAborted()
  const key = (step: string): string => `${revision}/${phase}/${step}`
  const ledger = {
    find: (step: string) => Promise.resolve(cycle.steps.get(key(step)) ?? null),
    record: async (step: string, result: ArtefactEntry, documents: readonly ArtefactEntry[]) => {
      for (const entry of [...documents, result]) await cycle.add(entry)
      cycle.steps.set(key(step), result.id)
    },
  }
  const place = { phase, revision, artefacts: cycle.artefacts, ledger, assertRunning }
  return {
    tenantId: options.tenantId ?? tenantId.parse('local'),
    cycleId: options.cycleId ?? cycleId.parse('cyc-aaaaaaaaaaaaaaaa'),
    phase,
    revision,
    attempt: options.attempt ?? 1,
    log: options.log ?? silentLogger,
    signal: controller.signal,
    artefacts: cycle.artefacts,
    // No runner ends the phase here; what is put counts as if it had ended.
    atEnd: cycle.artefacts,
    vault: cycle.vault,
    budget: cycle.budget,
    people: cycle.people,
    cycle,
    notes,
    step: (name, schema, work) => durableStep(place, name, schema, work),
    announce: (draft) => {
      const place = `${draft.revision}/${phase}/${draft.type}`
      if (!controller.signal.aborted && !cycle.announced.has(place)) cycle.announced.set(place, draft)
      return new Promise((resolve) => resolve(assertRunning()))
    },
    assertLease: assertRunning,
    progress: (note) => void notes.push(note),
    abort: (reason) => controller.abort(new AbortedError(reason)),
  }
}
