import { type Graph } from '@ordeal/shared'
import { type Rule, type Weakness } from './rule.js'

const circular: Rule = {
  id: 'ORD042-circular-dependency',
  severity: 'note',
  why: 'Workloads that wait for each other may never come up together again.',
  proof: 'Kill all pods of the circle at once, and see whether they get ready again.',
  find: ({ graph, byId }) => {
    const next = dependenciesOf(graph)
    return withoutEnds([...next.keys()], next).flatMap((id): Weakness[] => {
      const object = byId.get(id)
      if (!object || !reaches(next.get(id) ?? [], id, next)) return []
      return [{ object, path: [], message: 'It depends, by way of others, on itself.' }]
    })
  },
}

type Dependencies = ReadonlyMap<string, readonly string[]>

/** Workloads by the workloads whose services they call. */
function dependenciesOf(graph: Graph): Dependencies {
  const behind = new Map(graph.services.map((s) => [s.id, s.workloads]))
  const next = new Map<string, string[]>(graph.workloads.map((w) => [w.id, []]))
  for (const edge of graph.edges) next.get(edge.from)?.push(...(behind.get(edge.to) ?? []))
  return next
}

/** What is left when those that depend on nothing left are taken away, again and again: seldom anything. */
function withoutEnds(ids: readonly string[], next: Dependencies): readonly string[] {
  const left = new Map(ids.map((id) => [id, new Set(next.get(id))]))
  const callers = new Map<string, string[]>(ids.map((id) => [id, []]))
  for (const [id, called] of left) for (const to of called) callers.get(to)?.push(id)
  const ends = ids.filter((id) => !left.get(id)?.size)
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    left.delete(end)
    for (const caller of callers.get(end) ?? []) {
      left.get(caller)?.delete(end)
      if (left.get(caller)?.size === 0) ends.push(caller)
    }
  }
  return [...left.keys()]
}

function reaches(from: readonly string[], goal: string, next: Dependencies): boolean {
  const seen = new Set<string>()
  const open = [...from]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === goal) return true
    if (!seen.has(id)) open.push(...(next.get(id) ?? []))
    seen.add(id)
  }
  return false
}

export const dependencyRules: readonly Rule[] = [circular]
