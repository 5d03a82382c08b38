import {
  formatPointer,
  type Json,
  type JsonMap,
  mapsAt,
  podSpecPath,
  textAt,
  textsAt,
  valueAt,
} from '@ordeal/kubernetes'
import { type Change } from '@ordeal/shared'
import { type Situation } from './candidate.js'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
/** The field of a node, beside its labels, that a node affinity may name. */
const NODE_NAME = 'metadata.name'

const within = ({ object }: Situation, ...path: string[]): string[] => [...podSpecPath(object), ...path]

function edit(situation: Situation, path: readonly string[], after: Json | undefined, reason: string): Change {
  const { workload, object, failed } = situation
  const change = { object: workload.id, file: null, reason, fixes: [...failed] }
  return { ...change, kind: 'edit', path: formatPointer(path), before: valueAt(object, path), after }
}

/**
 * Takes away what binds all pods of a workload to one place: the node's name, and selectors and required affinities by
 * labels that mean a place (`labels`). Other labels stay: a pod may need the hardware that they stand for.
 */
export const unbound = (situation: Situation, labels: readonly string[]): Change[] => [
  ...withoutNodeName(situation),
  ...withoutSelector(situation, labels),
  ...withoutNodeAffinity(situation, labels),
]

function withoutNodeName(situation: Situation): Change[] {
  const path = within(situation, 'nodeName')
  if (valueAt(situation.object, path) === undefined) return []
  return [edit(situation, path, undefined, 'The name binds all pods to one node, and they are lost with it.')]
}

function withoutSelector(situation: Situation, labels: readonly string[]): Change[] {
  const path = within(situation, 'nodeSelector')
  const entries = Object.entries((valueAt(situation.object, path) ?? {}) as JsonMap)
  const others = entries.filter(([label]) => !labels.includes(label))
  if (others.length === entries.length) return []
  const after = others.length > 0 ? Object.fromEntries(others) : undefined
  return [edit(situation, path, after, 'The selector binds all pods to one place, and they are lost with it.')]
}

function withoutNodeAffinity(situation: Situation, labels: readonly string[]): Change[] {
  const path = within(situation, 'affinity', 'nodeAffinity')
  const affinity = valueAt(situation.object, path) as JsonMap | undefined
  const terms = mapsAt(affinity?.[REQUIRED], 'nodeSelectorTerms')
  const freed = terms.map((term) => withoutPlace(term, labels))
  // The terms are alternatives: one that binds to no place lets pods go elsewhere already.
  if (terms.length === 0 || freed.some((term, i) => term === terms[i])) return []
  const reason = 'The affinity binds all pods to one place, and they are lost with it.'
  if (freed.every((term) => Object.keys(term).length > 0)) {
    const list = [...path, REQUIRED, 'nodeSelectorTerms']
    return [edit(situation, list, freed, reason)]
  }
  const isAll = Object.keys(affinity ?? {}).length === 1
  return [edit(situation, isAll ? path : [...path, REQUIRED], undefined, reason)]
}

/** The term without what means one place; the term itself where nothing in it does. */
function withoutPlace(term: JsonMap, labels: readonly string[]): JsonMap {
  const means = (known: readonly string[]) => (e: JsonMap) =>
    e.operator === 'In' && known.includes(textAt(e, 'key') ?? '') && textsAt(e, 'values').length === 1
  const isPlace = means(labels)
  const isNode = means([NODE_NAME])
  const expressions = mapsAt(term, 'matchExpressions').filter((e) => !isPlace(e))
  const fields = mapsAt(term, 'matchFields').filter((e) => !isNode(e))
  const left = expressions.length + fields.length
  if (left === mapsAt(term, 'matchExpressions').length + mapsAt(term, 'matchFields').length) return term
  return {
    ...(expressions.length > 0 && { matchExpressions: expressions }),
    ...(fields.length > 0 && { matchFields: fields }),
  }
}

/** Takes away the required affinities that draw all pods of a workload to one place, those of which `draws` is true. */
export function apart(situation: Situation, draws: (term: JsonMap) => boolean): Change[] {
  const path = within(situation, 'affinity', 'podAffinity')
  const terms = mapsAt(valueAt(situation.object, path), REQUIRED)
  const others = terms.filter((term) => !draws(term))
  if (others.length === terms.length) return []
  const reason = 'The rule draws all pods to one place, and they are lost with it.'
  return [
    others.length > 0 ? edit(situation, [...path, REQUIRED], others, reason) : edit(situation, path, undefined, reason),
  ]
}
