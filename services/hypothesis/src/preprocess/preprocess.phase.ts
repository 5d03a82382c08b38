import { runAgent, type Models } from '@ordeal/agents'
import {
  buildGraph,
  conceal,
  findWeaknesses,
  readProject,
  redact,
  redactText,
  requireWorkload,
  secretsWithFiles,
  type Secrets,
} from '@ordeal/kubernetes'
import {
  artefactId,
  bundleSchema,
  cycleOptionsSchema,
  expectationsSchema,
  findingSchema,
  graphSchema,
  manifestsSchema,
  type ArtefactWriter,
  type Bundle,
  type CycleOptions,
  type Graph,
  type MeasurementRequest,
  type PhaseContext,
  type PhaseHandler,
} from '@ordeal/shared'
import { z } from 'zod'
import { completenessJudge } from '../draft/completeness.agent.js'
import { MEASURING } from '../draft/failure-model.js'
import { probeWriter } from '../draft/probe-writing.agent.js'
import { draftOutput, steadyStateDrafter, type DraftInput } from '../draft/steady-states.js'
import { expect } from '../expect/expect.js'
import { applicationGuesser, guessSchema } from '../understand/application-guess.agent.js'
import { manifestSummarizer } from '../understand/manifest-summary.agent.js'
import { weaknessFinder } from '../understand/weaknesses.agent.js'

const inputSchema = z.object({ options: artefactId })
const findingsSchema = z.array(findingSchema)
const readInput = z.object({ graph: artefactId, findings: artefactId, manifests: artefactId })

/**
 * The user's files with references in the place of credentials, so that the cycle can be run again from what it leaves.
 * What a text would still show in another form (in a block scalar, base64) is masked.
 */
const withoutSecrets = ({ files }: Bundle, secrets: Secrets): Bundle => ({
  files: files.map(({ path, content }) => ({ path, content: redactText(conceal(content, secrets), secrets) })),
})

/** Reads the user's files: graph, findings and r0, whose credentials are moved to the vault. */
async function read(context: PhaseContext, options: CycleOptions): Promise<z.infer<typeof readInput>> {
  const { artefacts, vault } = context
  const bundle = await vault.get('input', bundleSchema)
  const project = await readProject(bundle, options)
  const graph = graphSchema.parse(buildGraph(project))
  requireWorkload(graph)
  const redacted = redact(project.objects.map((o) => o.object))
  const { objects } = redacted
  const secrets = secretsWithFiles(
    redacted,
    bundle.files.map((file) => file.content),
  )
  await vault.put('secrets', secrets)
  await artefacts.put('input', withoutSecrets(bundle, secrets), { name: 'input' })
  const manifests = [...new Set(project.objects.map((o) => o.source.file))]
  const { application, notes } = project
  await artefacts.put('summary', { application, manifests, notes }, { name: 'summary' })
  const findings = z.array(findingSchema).parse(findWeaknesses(project, graph))
  return {
    graph: await artefacts.put('graph', graph, { name: 'graph' }),
    findings: await artefacts.put('rule-findings', findings, { name: 'rule-findings' }),
    manifests: await artefacts.put('manifests', manifestsSchema.parse({ objects }), { name: 'manifests', revision: 0 }),
  }
}

/** From files to a graph, r0, and a draft of what to check. */
export const preprocess =
  (models: Models): PhaseHandler =>
  async (context, input) => {
    const { artefacts, vault } = context
    const options = await artefacts.get(inputSchema.parse(input).options, cycleOptionsSchema)
    const ids = await context.step('read', readInput, () => read(context, options))
    const graph = await artefacts.get(ids.graph, graphSchema)
    const rules = await artefacts.get(ids.findings, findingsSchema)
    context.progress({
      kind: 'note',
      message: `${graph.workloads.length} workloads, ${graph.services.length} services, entry points: ${graph.entryPoints.join(', ') || 'none'}`,
    })
    const bundle = await vault.get('input', bundleSchema)
    // What does not wait for each other is asked at once.
    const [expectations, guess, findings] = await Promise.all([
      context.step('expectations', expectationsSchema, () => expect({ bundle, graph, options }, context, models)),
      context.step('application-guess', guessSchema, () => runAgent(applicationGuesser, { graph }, context, models)),
      context.step('weaknesses', findingsSchema, () =>
        runAgent(weaknessFinder, { graph, findings: rules }, context, models),
      ),
      context.step('manifest-summary', z.void(), (kept) => summarize(context, models, graph, kept)),
    ])
    for (const message of expectations.notes) context.progress({ kind: 'note', message })
    await artefacts.put('expectations', expectations, { name: 'expectations' })
    const request = await artefacts.put(
      'measurement-request',
      await draft(context, models, {
        graph,
        expectations,
        guessed: guess.paths,
        maxSteadyStates: options.maxSteadyStates,
      }),
      {
        name: 'measurement-request',
      },
    )
    const data = { ...ids, findings: await artefacts.put('findings', findings, { name: 'findings' }) }
    return [
      { type: 'cycle.preprocessed', revision: 0, data },
      { type: 'measurement.requested', revision: 0, data: { graph: ids.graph, manifests: ids.manifests, request } },
    ]
  }

async function summarize(context: PhaseContext, models: Models, graph: Graph, kept: ArtefactWriter): Promise<void> {
  const summary = await runAgent(manifestSummarizer, { graph }, context, models)
  await kept.put('manifest-summary', summary, { name: 'manifest-summary' })
}

/** What is to be measured: drafted, then looked through for what is missing. */
async function draft(context: PhaseContext, models: Models, input: DraftInput): Promise<MeasurementRequest> {
  const drafted = await context.step('draft', draftOutput, () => runAgent(steadyStateDrafter, input, context, models))
  const asked = { ...input, steadyStates: drafted.steadyStates }
  const [complete, written] = await Promise.all([
    context.step('completeness', draftOutput, () => runAgent(completenessJudge, asked, context, models)),
    context.step('probe-writing', draftOutput, () => runAgent(probeWriter, asked, context, models)),
  ])
  const scripts = written.steadyStates.filter((s) => !complete.steadyStates.some((known) => known.id === s.id))
  const most = Math.max(input.maxSteadyStates, drafted.steadyStates.length)
  return { steadyStates: [...complete.steadyStates, ...scripts].slice(0, most), baselineMs: MEASURING.baselineMs }
}
