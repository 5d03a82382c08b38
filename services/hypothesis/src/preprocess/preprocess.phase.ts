import { runAgent } from '@ordeal/agents'
import { buildGraph, findWeaknesses, readProject, redact, requireWorkload } from '@ordeal/kubernetes'
import {
  artefactId,
  bundleSchema,
  cycleOptionsSchema,
  findingSchema,
  graphSchema,
  manifestsSchema,
  TerminalError,
  type CycleOptions,
  type PhaseContext,
  type PhaseHandler,
} from '@ordeal/shared'
import { z } from 'zod'
import { DEFAULTS } from '../draft/failure-model.js'
import { requireTarget } from '../draft/scenario.js'
import { draftOutput, steadyStateDrafter } from '../draft/steady-states.js'

const inputSchema = z.object({ options: artefactId })
const readInput = z.object({ graph: artefactId, findings: artefactId, manifests: artefactId })

/** An option that this version cannot honour is refused, never ignored. Throws TerminalError with the remedy. */
export function refuseUnsupported(options: CycleOptions): void {
  if (options.model !== null) {
    throw new TerminalError(
      'model-not-supported',
      'Models are not supported yet. Leave out --model: the expert rules answer',
    )
  }
  if (options.instructions !== null) {
    throw new TerminalError(
      'instructions-not-supported',
      'Instructions are not understood yet, and are not ignored. Leave out --instructions to test the default failure model',
    )
  }
}

/** Reads the user's files: graph, findings and r0, whose credentials are moved to the vault. */
async function read(context: PhaseContext, options: CycleOptions): Promise<z.infer<typeof readInput>> {
  const { artefacts, vault } = context
  const project = await readProject(await vault.get('input', bundleSchema), options)
  const graph = graphSchema.parse(buildGraph(project))
  requireWorkload(graph)
  requireTarget(graph)
  const { objects, secrets } = redact(project.objects.map((o) => o.object))
  await vault.put('secrets', secrets)
  const manifests = [...new Set(project.objects.map((o) => o.source.file))]
  await artefacts.put('summary', { application: project.application, manifests }, { name: 'summary' })
  const findings = z.array(findingSchema).parse(findWeaknesses(project, graph))
  return {
    graph: await artefacts.put('graph', graph, { name: 'graph' }),
    findings: await artefacts.put('findings', findings, { name: 'findings' }),
    manifests: await artefacts.put('manifests', manifestsSchema.parse({ objects }), { name: 'manifests', revision: 0 }),
  }
}

/** From files to a graph, r0, and a draft of what to check. */
export const preprocess: PhaseHandler = async (context, input) => {
  const { artefacts } = context
  const options = await artefacts.get(inputSchema.parse(input).options, cycleOptionsSchema)
  refuseUnsupported(options)
  const ids = await context.step('read', readInput, () => read(context, options))
  const graph = await artefacts.get(ids.graph, graphSchema)
  context.progress({
    kind: 'note',
    message: `${graph.workloads.length} workloads, ${graph.services.length} services, entry points: ${graph.entryPoints.join(', ') || 'none'}`,
  })
  const drafts = await context.step('draft', draftOutput, () =>
    runAgent(steadyStateDrafter, { graph, maxSteadyStates: options.maxSteadyStates }, context),
  )
  const request = await artefacts.put(
    'measurement-request',
    { steadyStates: drafts.steadyStates, baselineMs: DEFAULTS.baselineMs },
    { name: 'measurement-request' },
  )
  return [
    { type: 'cycle.preprocessed', revision: 0, data: ids },
    { type: 'measurement.requested', revision: 0, data: { graph: ids.graph, manifests: ids.manifests, request } },
  ]
}
