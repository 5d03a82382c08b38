import { type Graph, type Workload } from '@ordeal/shared'

/** A graph as models see it: what depends on what, in few words; no labels, places or images' registries. */
export type Sketch = Readonly<Record<string, unknown>>

const shortImage = (image: string): string => image.split('/').at(-1) ?? image

function workloadLine(workload: Workload): string {
  const { id, replicas, managed, readiness, stateful, images } = workload
  const traits = [
    managed ? `${replicas} pods` : 'a bare pod',
    readiness ? null : 'no readiness probe',
    stateful ? 'keeps data' : null,
    images.map(shortImage).join(' '),
  ]
  return `${id}: ${traits.filter(Boolean).join(', ')}`
}

/** The whole application in a few lines: what most questions need and no more. */
export function sketch(graph: Graph): Sketch {
  return {
    workloads: graph.workloads.map(workloadLine),
    services: graph.services.map(
      (s) => `${s.id}: ports ${s.ports.map((p) => p.port).join(' ')} to ${s.workloads.join(' ') || 'nothing'}`,
    ),
    calls: graph.edges.map((e) => `${e.from} calls ${e.to}`),
    entryPoints: graph.entryPoints,
  }
}

/** The part of an application within so many calls of some objects, both ways: what a question about those needs. */
export function sketchAround(graph: Graph, objects: readonly string[], calls = 2): Sketch {
  let near = new Set(objects)
  for (let i = 0; i < calls; i++) near = withNeighbours(graph, near)
  const has = (id: string): boolean => near.has(id)
  return sketch({
    ...graph,
    workloads: graph.workloads.filter((w) => has(w.id)),
    services: graph.services.filter((s) => has(s.id)),
    edges: graph.edges.filter((e) => has(e.from) && has(e.to)),
    entryPoints: graph.entryPoints.filter(has),
  })
}

function withNeighbours(graph: Graph, near: ReadonlySet<string>): Set<string> {
  const links = [
    ...graph.edges.map((e) => [e.from, e.to] as const),
    ...graph.services.flatMap((s) => s.workloads.map((w) => [s.id, w] as const)),
  ]
  return new Set([...near, ...links.flatMap(([a, b]) => (near.has(a) || near.has(b) ? [a, b] : []))])
}
