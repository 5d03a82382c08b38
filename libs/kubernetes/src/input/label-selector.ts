import { isMap, type Json, type JsonMap, mapsAt, stringsAt, textAt, textsAt } from './kubernetes-object.js'

/**
 * True when a LabelSelector (`matchLabels` and `matchExpressions`) means pods with these labels. An empty one means all
 * pods, as Kubernetes has it; a missing one none.
 */
export function matchesSelector(selector: Json | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (!isMap(selector)) return false
  const isEqual = Object.entries(stringsAt(selector, 'matchLabels')).every(([key, value]) => labels[key] === value)
  return isEqual && mapsAt(selector, 'matchExpressions').every((expression) => holds(expression, labels))
}

function holds(expression: JsonMap, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[textAt(expression, 'key') ?? '']
  const values = textsAt(expression, 'values')
  switch (expression.operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}
