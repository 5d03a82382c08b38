import { runAgent, type Models } from '@ordeal/agents'
import {
  DEFAULT_EXPECTATIONS,
  withPatch,
  type Bundle,
  type CycleOptions,
  type Expectations,
  type Graph,
  type PhaseContext,
} from '@ordeal/shared'
import { requireTargets } from '../draft/rank-targets.js'
import { instructionsReader } from './instructions.agent.js'
import { findOrdealFile, patchOf } from './ordeal-file.js'

/** What the defaults and `ordeal.yaml` say, without instructions. Throws InputError for a file that cannot be used. */
function written(bundle: Bundle, { subpath }: Pick<CycleOptions, 'subpath'>): Expectations {
  const file = findOrdealFile(bundle, subpath)
  return file ? withPatch(DEFAULT_EXPECTATIONS, patchOf(file), ['As ordeal.yaml says']) : DEFAULT_EXPECTATIONS
}

/**
 * What to expect of an application by the rules alone: defaults, then `ordeal.yaml`, then instructions. Throws
 * InputError when that is impossible (fewer workloads than are to be hit).
 */
export function expectByRules(
  bundle: Bundle,
  graph: Graph,
  options: Pick<CycleOptions, 'subpath' | 'instructions'>,
): Expectations {
  const base = written(bundle, options)
  const { instructions } = options
  const expectations = instructions === null ? base : instructionsReader.expert({ instructions, graph, base })
  requireTargets(graph, expectations.failureModel)
  return expectations
}

/** The same, where instructions are for a model, if there is one. */
export async function expect(
  input: { readonly bundle: Bundle; readonly graph: Graph; readonly options: CycleOptions },
  context: PhaseContext,
  models: Models,
): Promise<Expectations> {
  const { bundle, graph, options } = input
  const base = written(bundle, options)
  const { instructions } = options
  const expectations =
    instructions === null ? base : await runAgent(instructionsReader, { instructions, graph, base }, context, models)
  requireTargets(graph, expectations.failureModel)
  return expectations
}
