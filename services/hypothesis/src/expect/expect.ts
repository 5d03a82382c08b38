import { runAgent, type Models } from '@ordeal/agents'
import { loadSandbox, runScript } from '@ordeal/prober'
import {
  DEFAULT_EXPECTATIONS,
  InputError,
  withPatch,
  type Bundle,
  type CycleOptions,
  type Expectations,
  type Graph,
  type PhaseContext,
} from '@ordeal/shared'
import { requireTargets } from '../draft/rank-targets.js'
import { instructionsReader } from './instructions.agent.js'
import { scripted } from '../draft/steady-states.js'
import { findOrdealFile, ORDEAL_FILE, patchOf } from './ordeal-file.js'

/** What the defaults and `ordeal.yaml` say, without instructions. Throws InputError for a file that cannot be used. */
function written(bundle: Bundle, { subpath }: Pick<CycleOptions, 'subpath'>): Expectations {
  const file = findOrdealFile(bundle, subpath)
  return file ? withPatch(DEFAULT_EXPECTATIONS, patchOf(file), ['As ordeal.yaml says']) : DEFAULT_EXPECTATIONS
}

/** Throws InputError for a check of the user's own that could never run. */
async function requireChecks(graph: Graph, expectations: Expectations): Promise<void> {
  if (expectations.checks.length > 0) await loadSandbox()
  for (const check of expectations.checks) {
    const place = `${ORDEAL_FILE}: check ${check.name}`
    if (!scripted(check, { graph, expectations })) {
      throw new InputError(`there is no service ${check.service} with an HTTP port`, place)
    }
    const step = runScript({ code: check.code, answers: [], startedAt: 0 })
    if (step.kind === 'broken') throw new InputError(step.message, place, 'docs/scripts.md says what a script may do')
  }
}

/**
 * What to expect of an application by the rules alone: defaults, then `ordeal.yaml`, then instructions. Throws
 * InputError when that is impossible (fewer workloads than are to be hit).
 */
export async function expectByRules(
  bundle: Bundle,
  graph: Graph,
  options: Pick<CycleOptions, 'subpath' | 'instructions'>,
): Promise<Expectations> {
  const base = written(bundle, options)
  const { instructions } = options
  const expectations = instructions === null ? base : instructionsReader.expert({ instructions, graph, base })
  requireTargets(graph, expectations.failureModel)
  await requireChecks(graph, expectations)
  return expectations
}

/** The same, where instructions are for a model, if there is one. */
export async function expect(
  input: { readonly bundle: Bundle; readonly graph: Graph; readonly options: CycleOptions },
  context: PhaseContext,
  models: Models,
): Promise<Expectations> {
  const { bundle, graph, options } = input
  await loadSandbox()
  const base = written(bundle, options)
  const { instructions } = options
  const expectations =
    instructions === null ? base : await runAgent(instructionsReader, { instructions, graph, base }, context, models)
  requireTargets(graph, expectations.failureModel)
  await requireChecks(graph, expectations)
  return expectations
}
