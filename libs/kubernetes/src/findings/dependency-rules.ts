import { type Graph } from '@ordeal/shared'
import { type Rule, type Weakness } from './rule.js'

const circular: Rule = {
  id: 'ORD042-circular-dependency',
  severity: 'note',
  why: 'Workloads that wait for each other may never come up together again.',
  proof: 'Kill all pods of the circle at once, and see whether they get ready again.',
  find: ({ graph, byId }) => {
    const next = dependenciesOf(graph)
    return circlesIn(next).flatMap((circle) =>
      circle.flatMap((id): Weakness[] => {
        const object = byId.get(id)
        return object ? [{ object, path: [], message: `It depends${throughOthers(id, circle)} on itself.` }] : []
      }),
    )
  },
}

/** How many members of a circle are named before the rest is counted. */
const NAMED = 3

function throughOthers(id: string, circle: readonly string[]): string {
  const named = circle
    .slice(0, NAMED + 1)
    .filter((other) => other !== id)
    .slice(0, NAMED)
  const more = circle.length - 1 - named.length
  if (!named.length) return ''
  return `, by way of ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''},`
}

type Dependencies = ReadonlyMap<string, readonly string[]>

/** Workloads by the workloads whose services they call. */
function dependenciesOf(graph: Graph): Dependencies {
  const behind = new Map(graph.services.map((s) => [s.id, s.workloads]))
  const next = new Map<string, string[]>(graph.workloads.map((w) => [w.id, []]))
  for (const edge of graph.edges) next.get(edge.from)?.push(...(behind.get(edge.to) ?? []))
  return next
}

/**
 * The groups of workloads that all depend on each other (Kosaraju's algorithm, in linear time): those that are left are
 * visited against the direction of calls, in the reverse order in which a first walk was done with them.
 */
function circlesIn(next: Dependencies): string[][] {
  const callers = new Map<string, string[]>([...next.keys()].map((id) => [id, []]))
  for (const [id, called] of next) for (const to of called) callers.get(to)?.push(id)
  const seen = new Set<string>()
  const done = [...next.keys()].flatMap((id) => walk(id, next, seen))
  const taken = new Set<string>()
  return done
    .reverse()
    .map((id) => walk(id, callers, taken))
    .filter((group) => group.length > 1 || (group[0] !== undefined && next.get(group[0])?.includes(group[0])))
}

/** What can be reached from an id and was not seen before, each after all that it leads to. */
function walk(from: string, next: Dependencies, seen: Set<string>): string[] {
  const done: string[] = []
  const open: { id: string; isLeft: boolean }[] = [{ id: from, isLeft: false }]
  for (let step = open.pop(); step; step = open.pop()) {
    if (step.isLeft) done.push(step.id)
    if (step.isLeft || seen.has(step.id)) continue
    seen.add(step.id)
    open.push({ id: step.id, isLeft: true }, ...(next.get(step.id) ?? []).map((id) => ({ id, isLeft: false })))
  }
  return done
}

export const dependencyRules: readonly Rule[] = [circular]
