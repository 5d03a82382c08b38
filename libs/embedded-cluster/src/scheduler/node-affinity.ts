import { type Node, type NodeSelectorTerm, type Pod } from '../controllers/objects.js'
import { type NodeLoad } from './node-load.js'
import { never, type Filter } from './scene.js'

type Expression = NonNullable<NodeSelectorTerm['matchExpressions']>[number]

/** The node has the labels that the pod's selector and required affinity ask for. */
export const nodeAffinity: Filter = ({ pod }, { node }) =>
  isWanted(pod, node) ? null : never("node(s) didn't match Pod's node affinity/selector")

export function isWanted({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {}
  if (Object.entries(spec.nodeSelector ?? {}).some(([key, value]) => labels[key] !== value)) return false
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return !required || fitsAnyTerm(required.nodeSelectorTerms, node)
}

/** Whether a node fits one of the terms; a term that asks for nothing fits none. */
export function fitsAnyTerm(terms: readonly NodeSelectorTerm[], node: Node): boolean {
  return terms.some((term) => fitsTerm(term, node))
}

function fitsTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  const labels = node.metadata.labels ?? {}
  const fields = { 'metadata.name': node.metadata.name }
  return (
    matchExpressions.every((expression) => holds(expression, labels)) &&
    matchFields.every((expression) => holds(expression, fields))
  )
}

const OPERATORS: Readonly<Record<string, (value: string | undefined, values: readonly string[]) => boolean>> = {
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
  Gt: (value, values) => value !== undefined && Number(value) > Number(values[0]),
  Lt: (value, values) => value !== undefined && Number(value) < Number(values[0]),
}

function holds({ key, operator, values = [] }: Expression, labels: Readonly<Record<string, string>>): boolean {
  return OPERATORS[operator]?.(labels[key], values) ?? false
}

/** The sum of the weights of the preferences that the node fits. */
export function nodePreference({ spec }: Pod, { node }: NodeLoad): number {
  const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return preferred.reduce((sum, { weight, preference }) => sum + (fitsTerm(preference, node) ? weight : 0), 0)
}
