import { applyToObjects, counterpartOf, graphOfObjects, revisionCost } from '@ordeal/kubernetes'
import {
  allAnswered,
  artefactId,
  cycleOptionsSchema,
  diagnosisSchema,
  graphSchema,
  hypothesisSchema,
  manifestsSchema,
  required,
  revisionSchema,
  verdictSchema,
  type ArtefactStore,
  type Change,
  type CycleOptions,
  type Diagnosis,
  type EventDraft,
  type PhaseContext,
  type PhaseHandler,
  type rejectedSchema,
  type Workload,
} from '@ordeal/shared'
import { consult, NotApprovedError, runAgent, type Consultation, type Models } from '@ordeal/agents'
import { z } from 'zod'
import {
  baseOf,
  candidateChanges,
  chooseRevisions,
  isTried,
  situationOf,
  stack,
  type Attempt,
  type Choice,
  type ChoiceInput,
} from './choose-revision.js'
import { chooseApproved } from './choose-approved.js'
import { ideasSchema, improver, type Improving } from './improvement.agent.js'
import { type Proposed } from './patch.subject.js'
import { rebinder, type RebindingInput } from './rebinding.agent.js'
import { reflector } from './reflection.agent.js'
import { sourceOf } from './write-changes.js'

type Rejected = z.infer<typeof rejectedSchema>

interface Ideas {
  /** Not tried yet, in the order in which they are to be; all changes since r0 each. */
  readonly open: readonly Proposed[]
  readonly rejected: Rejected[]
  /** What a model is asked; null where nothing can be thought of. */
  readonly question: Improving | null
}

const inputSchema = z.object({ verdict: artefactId, diagnosis: artefactId, hypothesis: artefactId })

async function attemptsOf(artefacts: ArtefactStore): Promise<Attempt[]> {
  const revisions = await artefacts.all('revision', revisionSchema)
  const verdicts = await artefacts.all('verdict', verdictSchema)
  return revisions.flatMap((revision) => {
    const verdict = verdicts.findLast((v) => v.revision === revision.number)
    return verdict ? [{ revision, verdict }] : []
  })
}

async function exhausted(
  context: PhaseContext,
  { rejected: ideas }: { readonly rejected: readonly Rejected[] },
  reason: string,
): Promise<EventDraft[]> {
  const rejected = await context.artefacts.put('rejected', ideas, { name: 'rejected' })
  context.progress({ kind: 'note', message: reason })
  return [{ type: 'improvement.exhausted', revision: context.revision, data: { reason, rejected } }]
}

/** What was tried since the base, with a lesson from the last of it that was undone. */
async function lessonFrom(place: Consultation, attempts: readonly Attempt[]): Promise<Rejected[]> {
  const last = attempts.at(-1)
  if (!last || last === baseOf(attempts)) return []
  const { revision, verdict } = last
  return [await consult(reflector, { changes: revision.changes, verdict }, place)]
}

/** The component's counterpart in the base: a model is asked only where neither name nor labels tell. */
async function componentOf(place: Consultation, input: RebindingInput): Promise<Workload | undefined> {
  const known = counterpartOf(input.component, input.original, input.revised)
  if (known) return known
  const { workload } = await consult(rebinder, input, place)
  return input.revised.workloads.find((w) => w.id === workload)
}

/**
 * The components to mend. A model's own idea is for the one that the diagnosis blames; the catalogue goes first to the
 * one that the rules blame, so that a wrong diagnosis costs no idea that there would be without a model.
 */
const blamed = ({ component, byRules }: Diagnosis): string[] => [...(byRules ? [byRules] : []), component]

/** What the catalogue has for each component, one after the other, each idea once. */
function chooseForAll(inputs: readonly ChoiceInput[]): Choice {
  const choices = inputs.map(chooseRevisions)
  const rejected = choices.flatMap((choice) => choice.rejected)
  return {
    open: choices.flatMap((choice) => choice.open),
    rejected: rejected.filter(({ idea }, i) => rejected.findIndex((other) => other.idea === idea) === i),
  }
}

/**
 * What is to be tried, in order. The model's idea comes first, unless models had as many tries as rules may have: they
 * never use up those of the rules.
 */
async function ideasOf(
  { context, models }: Consultation,
  options: CycleOptions,
  inputs: readonly ChoiceInput[],
  lesson: readonly Rejected[],
): Promise<Ideas> {
  const choices = chooseForAll(inputs)
  const input = required(inputs.at(-1) ?? null, 'component to mend')
  const rejected = [...choices.rejected.filter((r) => !lesson.some((l) => l.idea === r.idea)), ...lesson]
  const rules = triedBy(input.attempts, 'rules') < options.maxImprovements ? choices.open : []
  const open = rules.map((changes): Proposed => ({ changes, by: 'rules' }))
  const situation = inputs.map(situationOf).findLast((known) => known !== null)
  if (!situation) return { open, rejected, question: null }
  const { workload, object, diagnosis, failed, graph } = situation
  const catalogue = candidateChanges(situation)
  const question = { graph, diagnosis, workload, object, failed: [...failed], catalogue, rejected }
  if (triedBy(input.attempts, 'model') >= options.maxImprovements) return { open, rejected, question }
  const model = await ideaOf({ context, models }, question, input.attempts)
  return { open: model ? [{ changes: model, by: 'model' }, ...open] : open, rejected, question }
}

/** The model's own idea, on top of the base; null when it has none, or one that was tried. */
async function ideaOf(
  { context, models }: Consultation,
  question: Improving,
  attempts: readonly Attempt[],
): Promise<Change[] | null> {
  const { ideas } = await context.step('improvement', ideasSchema, () => runAgent(improver, question, context, models))
  const own = ideas.length > question.catalogue.length ? ideas[0] : undefined
  if (!own) return null
  const changes = stack(baseOf(attempts)?.revision.changes ?? [], own)
  return isTried(attempts, changes) ? null : changes
}

const triedBy = (attempts: readonly Attempt[], who: Proposed['by']): number =>
  attempts.filter(({ revision }) => (revision.by ?? 'rules') === who).length

/** The next revision to test, or word that nothing is left that would be worth a run. */
export const propose =
  (models: Models): PhaseHandler =>
  async (context, input) => {
    try {
      return await proposeNext({ context, models }, inputSchema.parse(input))
    } catch (error) {
      if (error instanceof NotApprovedError) return exhausted(context, { rejected: [] }, `${error.why}.`)
      throw error
    }
  }

async function proposeNext(place: Consultation, ids: z.infer<typeof inputSchema>): Promise<EventDraft[]> {
  const { context } = place
  const { artefacts } = context
  const options = required(await artefacts.latest('options', cycleOptionsSchema), 'options')
  const r0Graph = required(await artefacts.latest('graph', graphSchema), 'graph')
  const r0 = required(await artefacts.latest('manifests', manifestsSchema, 0), 'manifests of r0')
  const { scenario } = await artefacts.get(ids.hypothesis, hypothesisSchema)
  const diagnosis = await artefacts.get(ids.diagnosis, diagnosisSchema)
  const verdict = await artefacts.get(ids.verdict, verdictSchema)
  const attempts = await attemptsOf(artefacts)

  const base = baseOf(attempts)?.revision ?? { number: 0, changes: [] }
  const objects = applyToObjects(r0.objects, base.changes)
  const graph = graphOfObjects(r0Graph.application, objects)
  const known = { graph, objects, verdict, attempts, faults: scenario.faults.flat() }
  const choiceFor = async (id: string): Promise<ChoiceInput> => {
    const asked = id === diagnosis.component ? place : { ...place, suffix: '-by-rules' }
    const component = await componentOf(asked, { component: id, original: r0Graph, revised: graph })
    return { ...known, diagnosis: { ...diagnosis, component: id }, component }
  }
  const [choices, lesson] = await allAnswered([
    allAnswered(blamed(diagnosis).map(choiceFor)),
    lessonFrom(place, attempts),
  ])
  const { open, question, rejected } = await ideasOf(place, options, choices, lesson)
  const left = nothingLeft(options, attempts, diagnosis)
  if (open.length === 0 || !question) return exhausted(context, { rejected }, left)
  const number = attempts.length + 1
  const source = await sourceOf(context, options)
  const patch = { place, source, question, base: base.changes, attempts, number }
  const chosen = await chooseApproved(patch, open, rejected)
  if (!chosen.proposed) return exhausted(context, chosen, chosen.silence ? `${chosen.silence}.` : left)

  const { changes, by } = chosen.proposed
  const changed = applyToObjects(r0.objects, changes)
  const revision = revisionSchema.parse({
    ...{ number, parent: base.number, changes, by },
    cost: revisionCost(r0.objects, changed),
    rejected: chosen.rejected,
  })
  context.progress({ kind: 'note', message: `r${number}: ${revision.changes.map((c) => c.reason).join(' ')}` })
  const revisionId = await artefacts.put('revision', revision, { name: 'revision', revision: number })
  const manifests = await artefacts.put('manifests', { objects: changed }, { name: 'manifests', revision: number })
  const data = { revision: revisionId, manifests, hypothesis: ids.hypothesis }
  return [{ type: 'revision.proposed', revision: number, data }]
}

function nothingLeft({ maxImprovements }: CycleOptions, attempts: readonly Attempt[], diagnosis: Diagnosis): string {
  return triedBy(attempts, 'rules') >= maxImprovements
    ? `No change held within ${maxImprovements} improvements.`
    : `No change of the catalogue is left to try on ${blamed(diagnosis).join(' or ')}.`
}
