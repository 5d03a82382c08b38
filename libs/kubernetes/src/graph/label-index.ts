import { type KubernetesObject, selects } from '../input/kubernetes-object.js'
import { podLabelsOf, templatePathOf } from './pod-template.js'

/** Finds the objects whose pods a selector selects, without looking at each. */
export class LabelIndex {
  private readonly labels = new Map<KubernetesObject, Record<string, string>>()
  private readonly byLabel = new Map<string, KubernetesObject[]>()

  constructor(objects: readonly KubernetesObject[]) {
    for (const object of objects.filter((o) => templatePathOf(o) !== null)) this.add(object)
  }

  private add(object: KubernetesObject): void {
    const labels = podLabelsOf(object)
    this.labels.set(object, labels)
    for (const label of pairsOf(labels)) this.listOf(label).push(object)
  }

  /** A label that all objects carry has a long list, so it is appended to in place. */
  private listOf(label: string): KubernetesObject[] {
    const list = this.byLabel.get(label) ?? []
    this.byLabel.set(label, list)
    return list
  }

  /** In the order of the objects; none for an empty selector. */
  select(selector: Record<string, string>): KubernetesObject[] {
    const lists = pairsOf(selector).map((pair) => this.byLabel.get(pair) ?? [])
    const shortest = lists.sort((a, b) => a.length - b.length)[0] ?? []
    return shortest.filter((object) => selects(selector, this.labels.get(object) ?? {}))
  }
}

const pairsOf = (labels: Record<string, string>): string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`)
