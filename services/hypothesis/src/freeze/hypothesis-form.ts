import { scenarioSchema, thresholdSchema, type Graph, type Scenario } from '@ordeal/shared'
import { faultProblems } from '@ordeal/kubernetes'
import { z } from 'zod'
import { MEASURING } from '../draft/failure-model.js'
import { feels } from '../draft/feels.js'
import { canBeHit } from '../draft/may-be-hit.js'
import { type Unfrozen } from './form-hypothesis.js'
import { timelinePlanner } from './timeline.agent.js'

/** The hypothesis as people write it: what was measured is named, never changed. */
const replacementOf = (ids: readonly string[]) =>
  z.strictObject({
    /** Those to keep, with what is asked of them; the others are left out. */
    steadyStates: z.array(z.strictObject({ id: z.enum(ids), threshold: thresholdSchema })).min(1),
    scenario: scenarioSchema,
    timing: z.strictObject({
      preMs: z.number().min(MEASURING.timing.preMs).max(60_000),
      postMs: z.number().min(MEASURING.timing.postMs).max(120_000),
    }),
  })

/** A hypothesis in the form of a replacement. */
export const documentOf = ({ steadyStates, scenario, timing: { preMs, postMs } }: Unfrozen): unknown => ({
  steadyStates: steadyStates.map(({ id, threshold }) => ({ id, threshold })),
  scenario,
  timing: { preMs, postMs },
})

/** JSON Schema of a replacement: it names the steady states that were measured and the workloads that can be hit. */
export function formOf(measured: Unfrozen['steadyStates'], graph: Graph): Record<string, unknown> {
  const schema = z.toJSONSchema(replacementOf(measured.map(({ id }) => id)), {
    target: 'draft-7',
    io: 'input',
    reused: 'ref',
  })
  const workloads = graph.workloads.filter(canBeHit).map(({ id }) => id)
  return naming(schema, workloads) as Record<string, unknown>
}

/** The schema with a closed list wherever it asks for a component. */
function naming(schema: unknown, components: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((each) => naming(each, components))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'component' ? { type: 'string', enum: components } : naming(value, components),
    ]),
  )
}

/** A replacement that will do, or what is wrong with it, with the place. */
export type ReadReplacement = { readonly value: Unfrozen } | { readonly problems: readonly string[] }

/** Compiles a replacement: measured facts and target rules are those that are known, whatever it says of them. */
export function readReplacement(
  document: unknown,
  current: Unfrozen,
  measured: Unfrozen['steadyStates'],
  graph: Graph,
): ReadReplacement {
  const parsed = replacementOf(measured.map(({ id }) => id)).safeParse(document)
  if (!parsed.success) {
    return { problems: parsed.error.issues.map(({ path, message }) => `/${path.map(String).join('/')}: ${message}`) }
  }
  const { steadyStates: wanted, scenario: said, timing } = parsed.data
  const steadyStates = measured.flatMap((state) => {
    const own = wanted.find(({ id }) => id === state.id)
    return own ? [{ ...state, threshold: own.threshold }] : []
  })
  const scenario = withOwnSelectors(said, graph)
  const problems = [...twice(wanted.map(({ id }) => id)), ...scenarioProblems(scenario, steadyStates, graph)]
  if (problems.length > 0) return { problems }
  const { faultMs } = timelinePlanner.expert({ scenario, steadyStates })
  return { value: { ...current, steadyStates, scenario, timing: { ...timing, faultMs } } }
}

const twice = (ids: readonly string[]): string[] =>
  ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `/steadyStates: ${id} is named twice`)

/** Whom a rule means follows from the component that it names. */
function withOwnSelectors(scenario: Scenario, { workloads }: Graph): Scenario {
  const own = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(own)
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, own(inner)]))
    if (typeof fields.component !== 'string' || !('selector' in fields)) return fields
    return { ...fields, selector: workloads.find(({ id }) => id === fields.component)?.selector ?? {} }
  }
  return scenarioSchema.parse(own(scenario))
}

function scenarioProblems(scenario: Scenario, states: Unfrozen['steadyStates'], graph: Graph): string[] {
  const hit = [...new Set(scenario.faults.flat().map(({ target }) => target.component))]
  const known = graph.workloads.filter(canBeHit).map(({ id }) => id)
  const unknown = hit.filter((id) => !known.includes(id))
  const unfelt = hit.filter((id) => known.includes(id) && !states.some((state) => feels(graph, state, id)))
  return [
    ...unknown.map((id) => `/scenario/faults: ${id} is no workload that can be hit; these can: ${known.join(', ')}`),
    ...unfelt.map((id) => `/scenario/faults: no steady state that is kept would feel what happens to ${id}`),
    ...faultProblems(scenario).map((problem) => `/scenario/faults: ${problem}`),
  ]
}
