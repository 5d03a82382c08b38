import { type Pod } from '../controllers/objects.js'
import { type Labels, type LabelSelector, matchesSelector } from '../schema/selectors.js'

/** Pods that no selector tells apart: of one namespace, with equal labels. */
interface Group {
  readonly namespace: string
  readonly labels: Labels
  /** How many there are, by node. */
  readonly onNode: Map<string, number>
}

/** Counts placed pods by what selectors see of them: replicas are alike, and there may be thousands. */
export class PodGroups {
  private readonly groups = new Map<string, Group>()

  add(pod: Pod): void {
    this.change(pod, 1)
  }

  remove(pod: Pod): void {
    this.change(pod, -1)
  }

  /** How many pods of a namespace a selector means, by node. */
  countByNode(namespace: string, selector: LabelSelector | undefined): Map<string, number> {
    const counts = new Map<string, number>()
    for (const group of this.groups.values()) {
      if (group.namespace !== namespace || !matchesSelector(selector, group.labels)) continue
      for (const [node, count] of group.onNode) counts.set(node, (counts.get(node) ?? 0) + count)
    }
    return counts
  }

  private change({ metadata, spec }: Pod, by: 1 | -1): void {
    const { namespace = '', labels = NO_LABELS } = metadata
    const { nodeName = '' } = spec
    const signature = signatureOf(namespace, labels)
    const group = this.groups.get(signature) ?? { namespace, labels, onNode: new Map<string, number>() }
    const count = (group.onNode.get(nodeName) ?? 0) + by
    if (count > 0) group.onNode.set(nodeName, count)
    else group.onNode.delete(nodeName)
    if (group.onNode.size > 0) this.groups.set(signature, group)
    else this.groups.delete(signature)
  }
}

const NO_LABELS: Labels = {}
const signatures = new WeakMap<Labels, string>()

function signatureOf(namespace: string, labels: Labels): string {
  let text = signatures.get(labels)
  if (text === undefined) {
    text = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
    signatures.set(labels, text)
  }
  return `${namespace}|${text}`
}
