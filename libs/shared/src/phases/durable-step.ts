import { z } from 'zod'
import { type ArtefactId } from '../ids.js'
import { type ArtefactEntry } from '../store/artefact-store.js'
import { type ArtefactStore } from '../service/definition.js'
import { canonicalJson, hashOf } from '../store/canonical-json.js'

/** Where the results of finished steps are found again. */
export interface StepLedger {
  find(step: string): Promise<ArtefactId | null>
  /** Keeps the result and records the step as finished, both or neither. Throws AbortedError when fenced off. */
  record(step: string, result: ArtefactEntry): Promise<void>
}

// A wrapper, since a step may return nothing and JSON has no word for that.
const wrapped = <T>(schema: z.ZodType<T>): z.ZodType<{ value: T }> => z.object({ value: schema })

/** What a step needs of its phase. */
export interface StepPlace {
  readonly phase: string
  readonly revision: number
  readonly artefacts: ArtefactStore
  readonly ledger: StepLedger
  /** Throws when the phase must not go on: cancelled, lease lost, stopping. */
  readonly assertRunning: () => void
}

/**
 * Runs `work` unless an earlier attempt finished it, and returns the kept result: always as it is read back, so that
 * the first attempt and one after a crash go on with the same value.
 */
export async function durableStep<T>(
  place: StepPlace,
  name: string,
  schema: z.ZodType<T>,
  work: () => Promise<T>,
): Promise<T> {
  place.assertRunning()
  const known = await place.ledger.find(name)
  if (known) return (await place.artefacts.get(known, wrapped(schema))).value
  const value = await work()
  const body = canonicalJson({ value })
  const about = { kind: 'step', name: `${place.phase}/${name}`, revision: place.revision }
  await place.ledger.record(name, { ...about, id: hashOf(body), body })
  return wrapped(schema).parse(JSON.parse(body)).value
}
