import { type ArtefactWriter } from '../service/definition.js'
import { type ArtefactEntry } from './artefact-store.js'
import { canonicalJson, hashOf } from './canonical-json.js'

/** Documents that wait for the transaction that they belong to. */
export interface StagedArtefacts extends ArtefactWriter {
  readonly entries: readonly ArtefactEntry[]
}

/** Collects documents; their ids are known at once. */
export function stageArtefacts(): StagedArtefacts {
  const entries: ArtefactEntry[] = []
  return {
    entries,
    put: (kind, body, about = {}) => {
      const canonical = canonicalJson(body)
      const id = hashOf(canonical)
      entries.push({ id, kind, name: about.name ?? null, revision: about.revision ?? null, body: canonical })
      return Promise.resolve(id)
    },
  }
}
