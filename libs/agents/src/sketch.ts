import { graphAround } from '@ordeal/kubernetes'
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

/** The part of an application that a question about some objects needs. */
export const sketchAround = (graph: Graph, objects: readonly string[]): Sketch => sketch(graphAround(graph, objects))
