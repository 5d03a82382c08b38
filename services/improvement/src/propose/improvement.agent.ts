import { sketchAround, type Agent } from '@ordeal/agents'
import { applyToObjects, type KubernetesObject, parsePointer, valueAt } from '@ordeal/kubernetes'
import { changeSchema, diagnosisSchema, graphSchema, manifestsSchema, workload, type Change } from '@ordeal/shared'
import { z } from 'zod'
import { ALLOWED_FIELDS, ALLOWED_NEW_KINDS, policyProblems } from './policy.js'

const changes = z.array(changeSchema)
const input = z.object({
  graph: graphSchema,
  diagnosis: diagnosisSchema,
  /** The workload to mend, and its manifest; credentials are references. */
  workload,
  object: manifestsSchema.shape.objects.element,
  failed: z.array(z.string()),
  /** What the rules would try, in their order. */
  catalogue: z.array(changes),
  /** What was tried or thought of before, and why it was not kept. */
  rejected: z.array(z.object({ idea: z.string(), why: z.string() })),
})
/** What the agent is asked. */
export type Improving = z.infer<typeof input>

const answer = z.object({
  /** Empty to leave it to the catalogue. */
  changes: z
    .array(
      z.object({
        kind: z.enum(['edit', 'create']),
        /** `Kind/name` of what is edited or added. */
        object: z.string(),
        /** JSON pointer of an edit; empty for an addition. */
        path: z.string().max(300),
        /** The new value, or the whole new object, as JSON text. */
        valueJson: z.string().max(4000),
        reason: z.string().min(1).max(400),
      }),
    )
    .max(6),
})
type Answer = z.infer<typeof answer>

/** Ideas in the order in which they are to be tried, each the changes to the workload as it is now. */
export const ideasSchema = z.object({ ideas: z.array(changes) })
type Output = z.infer<typeof ideasSchema>

function parsed(json: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(json) as unknown }
  } catch {
    return null
  }
}

const isPointer = (path: string): boolean => path === '' || path.startsWith('/')

function changeFor(said: Answer['changes'][number], { object, failed }: Improving): Change | null {
  const json = parsed(said.valueJson)
  if (!json || !isPointer(said.path)) return null
  const before = said.kind === 'edit' ? valueAt(object, parsePointer(said.path)) : undefined
  const { kind, path, reason } = said
  const base = { kind, object: said.object, path, after: json.value, file: null, reason, fixes: [...failed] }
  return before === undefined ? base : { ...base, before }
}

/** Changes that could not be made, told by making them. */
function unmakeable(list: readonly Change[], object: KubernetesObject): string[] {
  try {
    applyToObjects([object], list)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function problems({ changes: said }: Answer, question: Improving): string[] {
  const object = question.object
  const list = said.map((one) => changeFor(one, question))
  const broken = said
    .filter((_, i) => list[i] === null)
    .map((one) => `${one.object} ${one.path}: "valueJson" is no JSON, or the path no JSON pointer`)
  const made = list.filter((change) => change !== null)
  const forbidden = made.flatMap((change) => policyProblems(change, question.workload, object))
  if (broken.length + forbidden.length > 0) return [...broken, ...forbidden]
  return unmakeable(made, object)
}

function combine({ changes: said }: Answer, floor: Output, question: Improving): Output {
  const own = said.map((one) => changeFor(one, question)).filter((change) => change !== null)
  return { ideas: own.length > 0 ? [own, ...floor.ideas] : floor.ideas }
}

/** What is to be tried next? The model's idea first, then the catalogue's, light and reversible first. */
export const improver: Agent<Improving, Answer, Output> = {
  name: 'improvement',
  input,
  answer,
  output: ideasSchema,
  prompt: (question) => ({
    stable: `Propose the smallest change to one workload's manifest that lets the application survive the experiment. You may edit
only these fields, and add only ${ALLOWED_NEW_KINDS.join(', ')}:
${ALLOWED_FIELDS.join('\n')}
"valueJson" is the whole new value of the field at "path", as JSON text. Answer with an empty list when the catalogue's
first idea is the best.`,
    facts: {
      diagnosis: question.diagnosis,
      failed: question.failed,
      manifest: question.object,
      around: sketchAround(question.graph, [question.workload.id]),
      catalogue: question.catalogue.map((idea) => idea.map((c) => `${c.kind} ${c.object} ${c.path}: ${c.reason}`)),
      rejected: question.rejected,
    },
  }),
  expert: ({ catalogue }) => ({ ideas: catalogue }),
  combine,
  problems,
  check: () => [],
}
