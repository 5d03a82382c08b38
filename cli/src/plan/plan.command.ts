import { type CycleOptions } from '@ordeal/shared'
import { EXIT, type ExitCode } from '../exit-code.js'
import { type Host } from '../host.js'
import { readInput } from '../input.js'
import { type Plan, renderPlan } from './render-plan.js'

export interface PlanOptions {
  readonly paths: readonly string[]
  readonly cycle: CycleOptions
  readonly json: boolean
}

/** `ordeal plan`: what a cycle would check and hit, by the rules alone. Throws InputError when it would be refused. */
export async function plan(options: PlanOptions, { terminal }: Host): Promise<ExitCode> {
  const { graph, findings, application, clusterScoped, expectations, notes } = await readInput(
    options.paths,
    options.cycle,
  )
  const { draftHypothesis } = await import('@ordeal/hypothesis')
  const { steadyStates, scenario, assumptions } = draftHypothesis(graph, {
    maxSteadyStates: options.cycle.maxSteadyStates,
    expectations,
  })
  const drafted: Plan = {
    schema: 'ordeal.plan/v1',
    application,
    cluster: options.cycle.cluster,
    graph,
    findings,
    clusterScoped,
    steadyStates,
    scenario,
    assumptions: [...notes, ...assumptions],
  }
  terminal.out.write(options.json ? `${JSON.stringify(drafted, null, 2)}\n` : renderPlan(drafted, terminal.out))
  return EXIT.good
}
