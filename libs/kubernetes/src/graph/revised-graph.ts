import { type Graph, type Workload } from '@ordeal/shared'
import { type KubernetesObject } from '../input/kubernetes-object.js'
import { buildGraph } from './build-graph.js'

/** The graph of a revision's objects; they have no place in the user's files yet. */
export const graphOfObjects = (application: string, objects: readonly KubernetesObject[]): Graph =>
  buildGraph({
    application,
    objects: objects.map((object, docIndex) => ({
      object,
      source: { file: 'rendered', line: 1, docIndex, itemIndex: null },
    })),
  })

/**
 * The workload of a revision that stands for a component of the application as given, whatever kind it has become: by its
 * name, else by the labels of its pods, which outlive a change of kind. Undefined where neither tells.
 */
export function counterpartOf(component: string, given: Graph, revised: Graph): Workload | undefined {
  const labels = Object.entries(given.workloads.find((w) => w.id === component)?.selector ?? {})
  return (
    revised.workloads.find((w) => w.id === component) ??
    revised.workloads.find((w) => labels.length > 0 && labels.every(([key, value]) => w.podLabels[key] === value))
  )
}
