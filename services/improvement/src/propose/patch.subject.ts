import { recordPerson, runAgent, withWish, type Consultation, type Next, type Subject } from '@ordeal/agents'
import { canonicalJson, changeSchema, type Change } from '@ordeal/shared'
import { z } from 'zod'
import { isTried, stack, type Attempt } from './choose-revision.js'
import { improver, type Improving } from './improvement.agent.js'
import { patchForm, readPatch } from './person-patch.js'
import { patchOf, writeChanges, type Source } from './write-changes.js'

/** A revision's changes since r0, and whose idea the newest of them are. */
export const proposedSchema = z.object({
  changes: z.array(changeSchema),
  by: z.enum(['rules', 'model', 'person']),
})
export type Proposed = z.infer<typeof proposedSchema>

/** Where a patch is proposed. */
export interface PatchPlace {
  readonly place: Consultation
  readonly source: Source
  /** What is asked of the agent that thinks of patches: a person's is held to the same. */
  readonly question: Improving
  /** Changes of the revision that the next one builds on. */
  readonly base: readonly Change[]
  readonly attempts: readonly Attempt[]
  /** Number of the revision that is proposed. */
  readonly number: number
}

/** The patch of a revision, before it is deployed, as something that people approve. `index` is that of the idea. */
export function patchSubject(patch: PatchPlace, index: number): Subject<Proposed> {
  return {
    what: 'improvement',
    name: `patch-${index + 1}`,
    revision: patch.number,
    value: proposedSchema,
    form: patchForm(patch.question),
    show: async ({ changes }) => ({
      title: `Patch of r${patch.number}`,
      text: `${changes.map(({ reason }) => `# ${reason}\n`).join('')}${await patchOf(patch.source, changes)}`,
      document: documentOf(changes, patch.base),
    }),
    replaced: (document, value) => replaced(patch, document, value),
    revised: (message, value) => revised(patch, message, value),
  }
}

/** What is changed on top of the base, as people write it. */
export const documentOf = (changes: readonly Change[], base: readonly Change[]): unknown => {
  const known = new Set(base.map((change) => canonicalJson(change)))
  const own = changes.filter((change) => !known.has(canonicalJson(change)))
  return { changes: own.map(({ kind, object, path, after, reason }) => ({ kind, object, path, after, reason })) }
}

/** A person's patch goes the way of a model's: the same policy, and the user's own files have to take it. */
async function replaced(patch: PatchPlace, document: unknown, value: Proposed): Promise<Next<Proposed>> {
  const read = readPatch(document, patch.question)
  if ('problems' in read) return { value, problems: read.problems }
  const next = await written(patch, read.changes, value, 'person')
  if (next.value !== value) await recordPerson(improver.name, document, patch.place.context)
  return next
}

async function revised(patch: PatchPlace, message: string, value: Proposed): Promise<Next<Proposed>> {
  const { question, place, base } = patch
  const { context, models } = place
  if (!(await models.forCycle(context))) {
    const remedy = 'replace it, or reject it to see what they think of next'
    return { value, problems: [`The rules thought of this patch, and cannot follow words: ${remedy}`] }
  }
  const { ideas } = await runAgent(
    withWish(improver, documentOf(value.changes, base), message),
    question,
    context,
    models,
  )
  const own = ideas.length > question.catalogue.length ? ideas[0] : undefined
  if (own) return written(patch, own, value, 'model')
  return { value, problems: ['The model thought of no patch that may be used'] }
}

/** The changes on top of the base, as the user's files take them; the value as it was where they do not. */
async function written(
  { source, base, attempts }: PatchPlace,
  own: readonly Change[],
  value: Proposed,
  by: Proposed['by'],
): Promise<Next<Proposed>> {
  const result = await writeChanges(source, stack(base, own))
  if ('refused' in result) return { value, problems: [result.refused] }
  if (isTried(attempts, result.changes)) return { value, problems: ['These changes were tested before'] }
  return { value: { changes: result.changes, by }, problems: [] }
}
