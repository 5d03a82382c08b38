import { type Alias, type Document, isAlias, type Node, visit } from 'yaml'

const known = new WeakMap<Document, ReadonlyMap<Alias, Node>>()

/**
 * The node that each alias of a document stands for: the last before it with that anchor. The library's own look-up
 * walks the whole document for every alias, which takes quadratic time.
 */
export function aliasTargets(document: Document): ReadonlyMap<Alias, Node> {
  const cached = known.get(document)
  if (cached) return cached
  const anchors = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  visit(document, {
    Node: (_, node) => {
      const target = isAlias(node) ? anchors.get(node.source) : undefined
      if (isAlias(node) && target) targets.set(node, target)
      else if (!isAlias(node) && node.anchor) anchors.set(node.anchor, node)
    },
  })
  known.set(document, targets)
  return targets
}
