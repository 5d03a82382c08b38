import { applyToObjects, counterpartOf, graphOfObjects, revisionCost } from '@ordeal/kubernetes'
import {
  artefactId,
  cycleOptionsSchema,
  diagnosisSchema,
  graphSchema,
  hypothesisSchema,
  manifestsSchema,
  rejectedSchema,
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
  type Workload,
} from '@ordeal/shared'
import { runAgent, type Models } from '@ordeal/agents'
import { z } from 'zod'
import {
  baseOf,
  candidateChanges,
  chooseRevisions,
  isTried,
  situationOf,
  stack,
  wordsFor,
  type Attempt,
  type Choice,
  type ChoiceInput,
} from './choose-revision.js'
import { ideasSchema, improver } from './improvement.agent.js'
import { rebinder, rebindingSchema, type RebindingInput } from './rebinding.agent.js'
import { reflector } from './reflection.agent.js'
import { sourceOf, writeChanges, type Source } from './write-changes.js'

type Rejected = z.infer<typeof rejectedSchema>

interface Ideas {
  /** Not tried yet; null when the model has none. */
  readonly model: Change[] | null
  readonly rules: readonly Change[][]
  readonly rejected: Rejected[]
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
  { rejected: ideas }: Pick<Choice, 'rejected'>,
  reason: string,
): Promise<EventDraft[]> {
  const rejected = await context.artefacts.put('rejected', ideas, { name: 'rejected' })
  context.progress({ kind: 'note', message: reason })
  return [{ type: 'improvement.exhausted', revision: context.revision, data: { reason, rejected } }]
}

/**
 * The first of the candidates that the user's own files can take, as they render with it; null when none is left. A
 * change that could not be handed back in the form of the input is not worth a run.
 */
async function firstWritable(source: Source, { open, rejected }: Choice, attempts: readonly Attempt[]) {
  const why = [...rejected]
  for (const candidate of open) {
    const written = await writeChanges(source, candidate)
    if ('refused' in written) why.push({ idea: wordsFor(candidate), why: written.refused })
    else if (!isTried(attempts, written.changes)) return { changes: written.changes, candidate, rejected: why }
  }
  return { changes: null, candidate: null, rejected: why }
}

/** What was tried since the base, with a lesson from the last of it that was undone. */
async function lessonFrom(context: PhaseContext, models: Models, attempts: readonly Attempt[]): Promise<Rejected[]> {
  const last = attempts.at(-1)
  if (!last || last === baseOf(attempts)) return []
  const { revision, verdict } = last
  const lesson = await context.step('reflection', rejectedSchema, () =>
    runAgent(reflector, { changes: revision.changes, verdict }, context, models),
  )
  return [lesson]
}

/** The component's counterpart in the base: a model is asked only where neither name nor labels tell. */
async function componentOf(
  context: PhaseContext,
  models: Models,
  input: RebindingInput,
): Promise<Workload | undefined> {
  const known = counterpartOf(input.component, input.original, input.revised)
  if (known) return known
  const { workload } = await context.step('re-binding', rebindingSchema, () =>
    runAgent(rebinder, input, context, models),
  )
  return input.revised.workloads.find((w) => w.id === workload)
}

/**
 * What is to be tried, in order. The model's idea comes first, unless models had as many tries as rules may have: they
 * never use up those of the rules.
 */
async function ideasOf(
  { context, models, options }: { context: PhaseContext; models: Models; options: CycleOptions },
  input: ChoiceInput,
  lesson: readonly Rejected[],
): Promise<Ideas> {
  const choices = chooseRevisions(input)
  const rejected = [...choices.rejected.filter((r) => !lesson.some((l) => l.idea === r.idea)), ...lesson]
  const tried = (by: 'rules' | 'model'): number =>
    input.attempts.filter(({ revision }) => (revision.by ?? 'rules') === by).length
  const rules = tried('rules') < options.maxImprovements ? choices.open : []
  const situation = situationOf(input)
  if (!situation || tried('model') >= options.maxImprovements) return { model: null, rules, rejected }
  const { workload, object, diagnosis, failed, graph } = situation
  const catalogue = candidateChanges(situation)
  const { ideas } = await context.step('improvement', ideasSchema, () =>
    runAgent(
      improver,
      { graph, diagnosis, workload, object, failed: [...failed], catalogue, rejected },
      context,
      models,
    ),
  )
  const own = ideas.length > catalogue.length ? ideas[0] : undefined
  const model = own ? stack(baseOf(input.attempts)?.revision.changes ?? [], own) : null
  return { model: model && !isTried(input.attempts, model) ? model : null, rules, rejected }
}

/** The next revision to test, or word that nothing is left that would be worth a run. */
export const propose =
  (models: Models): PhaseHandler =>
  async (context, input) => {
    const { artefacts } = context
    const ids = inputSchema.parse(input)
    const options = required(await artefacts.latest('options', cycleOptionsSchema), 'options')
    const r0Graph = required(await artefacts.latest('graph', graphSchema), 'graph')
    const r0 = required(await artefacts.latest('manifests', manifestsSchema, 0), 'manifests of r0')
    const { scenario } = await artefacts.get(ids.hypothesis, hypothesisSchema)
    const diagnosis = await artefacts.get(ids.diagnosis, diagnosisSchema)
    const verdict = await artefacts.get(ids.verdict, verdictSchema)
    const attempts = await attemptsOf(artefacts)

    const base = baseOf(attempts)
    const objects = applyToObjects(r0.objects, base?.revision.changes ?? [])
    const graph = graphOfObjects(r0Graph.application, objects)
    const [component, lesson] = await Promise.all([
      componentOf(context, models, { component: diagnosis.component, original: r0Graph, revised: graph }),
      lessonFrom(context, models, attempts),
    ])
    const choice = { graph, objects, diagnosis, verdict, attempts, component, faults: scenario.faults.flat() }
    const ideas = await ideasOf({ context, models, options }, choice, lesson)
    const open = [...(ideas.model ? [ideas.model] : []), ...ideas.rules]
    if (open.length === 0) return exhausted(context, ideas, nothingLeft(options, attempts, diagnosis))
    const written = await firstWritable(await sourceOf(context, options), { open, rejected: ideas.rejected }, attempts)
    if (!written.changes) return exhausted(context, written, nothingLeft(options, attempts, diagnosis))

    const number = attempts.length + 1
    const changed = applyToObjects(r0.objects, written.changes)
    const revision = revisionSchema.parse({
      number,
      parent: base?.revision.number ?? 0,
      changes: written.changes,
      by: ideas.model && written.candidate === ideas.model ? 'model' : 'rules',
      cost: revisionCost(r0.objects, changed),
      rejected: z.array(rejectedSchema).parse(written.rejected),
    })
    context.progress({ kind: 'note', message: `r${number}: ${revision.changes.map((c) => c.reason).join(' ')}` })
    const revisionId = await artefacts.put('revision', revision, { name: 'revision', revision: number })
    const manifests = await artefacts.put('manifests', { objects: changed }, { name: 'manifests', revision: number })
    return [
      {
        type: 'revision.proposed',
        revision: number,
        data: { revision: revisionId, manifests, hypothesis: ids.hypothesis },
      },
    ]
  }

function nothingLeft({ maxImprovements }: CycleOptions, attempts: readonly Attempt[], diagnosis: Diagnosis): string {
  const isOver = attempts.filter(({ revision }) => revision.by !== 'model').length >= maxImprovements
  return isOver
    ? `No change held within ${maxImprovements} improvements.`
    : `No change of the catalogue is left to try on ${diagnosis.component}.`
}
