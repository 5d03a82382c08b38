import { judgeAnswer } from '@ordeal/agents'
import { differencesBetween, type Json } from '@ordeal/kubernetes'
import { type Change } from '@ordeal/shared'
import { z } from 'zod'
import { improver, type Improving } from './improvement.agent.js'
import { ALLOWED_FIELDS, ALLOWED_NEW_KINDS, policyProblems } from './policy.js'

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Replacements of whole objects that the rules know, such as a Pod's by a Deployment. */
const knownReplacements = ({ catalogue }: Improving): Change[] =>
  catalogue.flat().filter(({ kind }) => kind === 'replace')

/** A patch as people write it: edits of allowed fields, objects that may be added, and replacements that the rules know. */
function patchSchema(question: Improving) {
  const fields = ALLOWED_FIELDS.map((field) => escaped(field).replace('<n>', '\\d+')).join('|')
  const object = new RegExp(`^(${escaped(question.workload.id)}|(${ALLOWED_NEW_KINDS.join('|')})\\/.+)$`)
  const kinds = knownReplacements(question).length > 0 ? ['edit', 'create', 'replace'] : ['edit', 'create']
  return z.strictObject({
    changes: z
      .array(
        z.strictObject({
          kind: z.enum(kinds),
          object: z.string().regex(object),
          /** Empty for a whole object. */
          path: z.string().regex(new RegExp(`^$|^(${fields})(\\/.*)?$`)),
          after: z.unknown(),
          reason: z.string().min(1).max(400),
        }),
      )
      .min(1)
      .max(6),
  })
}
type Written = z.infer<ReturnType<typeof patchSchema>>['changes'][number]

/** JSON Schema of a patch that a person may write. */
export const patchForm = (question: Improving): Record<string, unknown> =>
  z.toJSONSchema(patchSchema(question), { target: 'draft-7', io: 'input' })

/** A person's changes to the base, or what is wrong with them, with the place. */
export type ReadPatch = { readonly changes: readonly Change[] } | { readonly problems: readonly string[] }

/** Holds a person's patch to the policy that a model's is held to, and compiles it. */
export function readPatch(document: unknown, question: Improving): ReadPatch {
  const parsed = patchSchema(question).safeParse(document)
  if (!parsed.success) {
    return { problems: parsed.error.issues.map(({ path, message }) => `/${path.map(String).join('/')}: ${message}`) }
  }
  const { changes } = parsed.data
  const replaced = changes.filter(({ kind }) => kind === 'replace').map((change) => replacement(change, question))
  const problems = replaced.flatMap((each) => ('problems' in each ? each.problems : []))
  const others = changes.filter(({ kind }) => kind !== 'replace')
  if (replaced.length > 0 && others.some(({ kind }) => kind === 'edit')) {
    problems.push('/changes: what is replaced is not edited besides; write it into the new object')
  }
  const judged = judgedChanges(others, question)
  if ('problems' in judged) problems.push(...judged.problems)
  if (problems.length > 0 || 'problems' in judged) return { problems }
  return { changes: [...replaced.flatMap((each) => ('problems' in each ? [] : [each])), ...judged.changes] }
}

/** Edits and additions, judged as a model's are. */
function judgedChanges(written: readonly Written[], question: Improving): ReadPatch {
  if (written.length === 0) return { changes: [] }
  const changes = written.map(({ after, ...rest }) => ({ ...rest, valueJson: JSON.stringify(after ?? null) }))
  const judged = judgeAnswer(improver, { changes }, improver.expert(question), question)
  return 'problems' in judged ? judged : { changes: judged.output.ideas[0] ?? [] }
}

/** The new object may differ from the one that the rules would make only where it may be edited afterwards. */
function replacement({ object, after, reason }: Written, question: Improving): Change | { problems: string[] } {
  const tries = knownReplacements(question)
    .filter((known) => known.object === object)
    .map((known) => ({ known, problems: replacementProblems(known, after, question) }))
  const [best] = tries.toSorted((a, b) => a.problems.length - b.problems.length)
  if (!best) return { problems: [`/changes: the rules know no replacement of ${object}`] }
  return best.problems.length > 0 ? { problems: best.problems } : { ...best.known, after, reason }
}

function replacementProblems(known: Change, after: unknown, { workload, object }: Improving): string[] {
  const differences = differencesBetween(known.after as Json, (after ?? null) as Json)
  return differences.flatMap((difference) => {
    const edit: Change = { ...known, ...difference, kind: 'edit', object: workload.id }
    return policyProblems(edit, workload, object)
  })
}
