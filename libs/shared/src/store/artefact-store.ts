import { type z } from 'zod'
import { TerminalError } from '../errors.js'
import { type ArtefactId } from '../ids.js'
import { type ArtefactStore } from '../service/definition.js'
import { canonicalJson, hashOf } from './canonical-json.js'

/** One entry in a cycle's list of artefacts; `body` is canonical JSON. */
export interface ArtefactEntry {
  readonly id: ArtefactId
  readonly kind: string
  readonly name: string | null
  readonly revision: number | null
  readonly body: string
}

/** Where a cycle's artefacts are kept. Entries are only ever added; the same entry twice is one. */
export interface ArtefactEntries {
  add(entry: ArtefactEntry): Promise<void>
  /** The body of an artefact, or null when the cycle has none of this id. */
  body(id: ArtefactId): Promise<string | null>
  /** Bodies of a kind (and revision) in order of creation; the last one only when `newest`. */
  bodies(query: { kind: string; revision?: number; newest?: boolean }): Promise<string[]>
}

/** A document as `schema` reads it. Throws TerminalError `artefact-invalid` when it has another shape. */
export function parseDocument<T>(document: unknown, schema: z.ZodType<T>, what: string): T {
  const parsed = schema.safeParse(document)
  if (parsed.success) return parsed.data
  throw new TerminalError('artefact-invalid', `${what} is not of the shape asked for: ${parsed.error.message}`, {
    cause: parsed.error,
  })
}

const read = <T>(body: string, schema: z.ZodType<T>, what: string): T => parseDocument(JSON.parse(body), schema, what)

/** The artefacts of one cycle over wherever its entries are kept. */
export function createArtefactStore(entries: ArtefactEntries): ArtefactStore {
  return {
    async put(kind, body, about = {}) {
      const canonical = canonicalJson(body)
      const id = hashOf(canonical)
      await entries.add({ id, kind, name: about.name ?? null, revision: about.revision ?? null, body: canonical })
      return id
    },
    async get(id, schema) {
      const body = await entries.body(id)
      if (body === null) throw new TerminalError('artefact-missing', `the cycle has no artefact ${id}`)
      return read(body, schema, `artefact ${id}`)
    },
    async latest(kind, schema, revision) {
      const [body] = await entries.bodies({ kind, revision, newest: true })
      return body === undefined ? null : read(body, schema, `the newest ${kind}`)
    },
    async all(kind, schema) {
      const bodies = await entries.bodies({ kind })
      return bodies.map((body) => read(body, schema, `an artefact of kind ${kind}`))
    },
  }
}
