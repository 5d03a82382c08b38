import { approved, NotApprovedError } from '@ordeal/agents'
import {
  approvalSchema,
  canonicalJson,
  proposalSchema,
  type ArtefactStore,
  type Change,
  type rejectedSchema,
} from '@ordeal/shared'
import { type z } from 'zod'
import { isTried, wordsFor } from './choose-revision.js'
import { documentOf, patchSubject, type PatchPlace, type Proposed } from './patch.subject.js'
import { writeChanges } from './write-changes.js'

type Rejected = z.infer<typeof rejectedSchema>

/** The revision to test, or why there is none; and every idea that was left. */
export interface Chosen {
  readonly proposed: Proposed | null
  readonly rejected: readonly Rejected[]
  /** Set when nobody was there to ask. */
  readonly silence: string | null
}

/**
 * The first of the ideas that the user's own files can take, as they render with it, and that people approve where they
 * want to be asked. A no goes on to the next idea; when nobody answers, no more is asked.
 */
export async function chooseApproved(
  patch: PatchPlace,
  open: readonly Proposed[],
  rejected: readonly Rejected[],
): Promise<Chosen> {
  const { context } = patch.place
  const why = [...rejected]
  const refused = await refusedBefore(context.artefacts)
  for (const [index, { changes, by }] of open.entries()) {
    const written = await takeable(patch, changes, refused)
    if (typeof written === 'string') why.push({ idea: wordsFor(changes), why: written })
    if (written === null || typeof written === 'string') continue
    try {
      const { value } = await approved({ changes: written, by }, patchSubject(patch, index), context)
      return { proposed: value, rejected: why, silence: null }
    } catch (error) {
      if (!(error instanceof NotApprovedError)) throw error
      why.push({ idea: wordsFor(written), why: error.why })
      if (error.silent) return { proposed: null, rejected: why, silence: error.why }
    }
  }
  return { proposed: null, rejected: why, silence: null }
}

/** The idea as the user's files take it; a reason where they do not, or where people did not want it; null once tested. */
async function takeable(
  { source, base, attempts }: PatchPlace,
  changes: readonly Change[],
  refused: ReadonlyMap<string, string>,
): Promise<Change[] | string | null> {
  const written = await writeChanges(source, changes)
  if ('refused' in written) return written.refused
  if (isTried(attempts, written.changes)) return null
  return refused.get(canonicalJson(documentOf(written.changes, base))) ?? written.changes
}

/** What people said no to earlier in the cycle, and why: they are not asked for the same again. */
async function refusedBefore(artefacts: ArtefactStore): Promise<ReadonlyMap<string, string>> {
  const approvals = await artefacts.all('approval', approvalSchema)
  const noes = approvals.filter(
    ({ what, decision, by }) => what === 'improvement' && decision === 'reject' && by !== null,
  )
  const entries = noes.map(async ({ proposal, by, message }) => {
    const { document } = await artefacts.get(proposal, proposalSchema)
    return [canonicalJson(document), `A person (${by}) said no to it${message ? `: ${message}` : ''}`] as const
  })
  return new Map(await Promise.all(entries))
}
