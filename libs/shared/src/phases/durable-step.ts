import { z } from 'zod'
import { type ArtefactId } from '../ids.js'
import { parseDocument, type ArtefactEntry } from '../store/artefact-store.js'
import { type ArtefactStore, type ArtefactWriter } from '../service/definition.js'
import { canonicalJson, hashOf } from '../store/canonical-json.js'
import { stageArtefacts } from '../store/stage-artefacts.js'

/** Where the results of finished steps are found again. */
export interface StepLedger {
  find(step: string): Promise<ArtefactId | null>
  /**
   * Keeps the result with the step's documents and records the step as finished, all or nothing. Throws AbortedError
   * when fenced off.
   */
  record(step: string, result: ArtefactEntry, documents: readonly ArtefactEntry[]): Promise<void>
}

// The result is wrapped, since a step may return nothing and JSON has no word for that.
const keptSchema = z.object({ value: z.unknown().optional() })

const unwrap = <T>(kept: { value?: unknown }, schema: z.ZodType<T>, name: string): T =>
  parseDocument(kept.value, schema, `the result of step ${name}`)

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
  work: (kept: ArtefactWriter) => Promise<T>,
): Promise<T> {
  place.assertRunning()
  const known = await place.ledger.find(name)
  if (known) return unwrap(await place.artefacts.get(known, keptSchema), schema, name)
  const kept = stageArtefacts()
  const body = canonicalJson({ value: await work(kept) })
  const result = unwrap(keptSchema.parse(JSON.parse(body)), schema, name)
  const about = { kind: 'step', name: `${place.phase}/${name}`, revision: place.revision }
  await place.ledger.record(name, { ...about, id: hashOf(body), body }, kept.entries)
  return result
}
