import { applyToObjects, buildGraph, revisionCost, type KubernetesObject } from '@ordeal/kubernetes'
import {
  artefactId,
  cycleOptionsSchema,
  diagnosisSchema,
  graphSchema,
  manifestsSchema,
  rejectedSchema,
  required,
  revisionSchema,
  verdictSchema,
  type ArtefactStore,
  type EventDraft,
  type Graph,
  type PhaseContext,
  type PhaseHandler,
  type Workload,
} from '@ordeal/shared'
import { z } from 'zod'
import { baseOf, chooseRevisions, isTried, wordsFor, type Attempt, type Choice } from './choose-revision.js'
import { sourceOf, writeChanges, type Source } from './write-changes.js'

const inputSchema = z.object({ verdict: artefactId, diagnosis: artefactId, hypothesis: artefactId })

async function attemptsOf(artefacts: ArtefactStore): Promise<Attempt[]> {
  const revisions = await artefacts.all('revision', revisionSchema)
  const verdicts = await artefacts.all('verdict', verdictSchema)
  return revisions.flatMap((revision) => {
    const verdict = verdicts.findLast((v) => v.revision === revision.number)
    return verdict ? [{ revision, verdict }] : []
  })
}

/** The workload of the base that stands for a component of r0, whatever kind it has become: its pods' labels tell. */
function counterpart(r0: Graph, base: Graph, component: string): Workload | undefined {
  const original = r0.workloads.find((w) => w.id === component)
  const wanted = Object.entries(original?.selector ?? {})
  return (
    base.workloads.find((w) => w.id === component) ??
    base.workloads.find((w) => wanted.length > 0 && wanted.every(([k, v]) => w.podLabels[k] === v))
  )
}

/** The graph of a revision's objects; they have no place in the user's files yet. */
const graphOf = (application: string, objects: readonly KubernetesObject[]): Graph =>
  buildGraph({
    application,
    objects: objects.map((object, docIndex) => ({
      object,
      source: { file: 'rendered', line: 1, docIndex, itemIndex: null },
    })),
  })

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
    else if (!isTried(attempts, written.changes)) return { changes: written.changes, rejected: why }
  }
  return { changes: null, rejected: why }
}

/** The next revision to test, or word that nothing is left that would be worth a run. */
export const propose: PhaseHandler = async (context, input) => {
  const { artefacts } = context
  const ids = inputSchema.parse(input)
  const options = required(await artefacts.latest('options', cycleOptionsSchema), 'options')
  const r0Graph = required(await artefacts.latest('graph', graphSchema), 'graph')
  const r0 = required(await artefacts.latest('manifests', manifestsSchema, 0), 'manifests of r0')
  const diagnosis = await artefacts.get(ids.diagnosis, diagnosisSchema)
  const verdict = await artefacts.get(ids.verdict, verdictSchema)
  const attempts = await attemptsOf(artefacts)

  const base = baseOf(attempts)
  const objects = applyToObjects(r0.objects, base?.revision.changes ?? [])
  const graph = graphOf(r0Graph.application, objects)
  const component = counterpart(r0Graph, graph, diagnosis.component)
  const choices = chooseRevisions({ graph, objects, diagnosis, verdict, attempts, component })
  const nothingLeft = `No change of the catalogue is left to try on ${diagnosis.component}.`
  if (!choices.open.length) return exhausted(context, choices, nothingLeft)
  if (attempts.length >= options.maxImprovements) {
    return exhausted(context, choices, `No change held within ${options.maxImprovements} improvements.`)
  }
  const choice = await firstWritable(await sourceOf(context, options), choices, attempts)
  if (!choice.changes) return exhausted(context, choice, nothingLeft)

  const number = attempts.length + 1
  const changed = applyToObjects(r0.objects, choice.changes)
  const revision = revisionSchema.parse({
    number,
    parent: base?.revision.number ?? 0,
    changes: choice.changes,
    cost: revisionCost(r0.objects, changed),
    rejected: z.array(rejectedSchema).parse(choice.rejected),
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
