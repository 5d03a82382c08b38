import { type ClusterObject } from '@ordeal/kubernetes'
import { parseTarget, type Target } from './target.js'

/** What a step waits for. */
export interface Condition {
  readonly target: Target
  readonly holds: (found: readonly ClusterObject[]) => boolean
}

const PATH = /^\.(\S+) (==|!=|>=|<=) (.+)$/
const COUNT = /^count (==|!=|>=|<=) (\d+)$/

/**
 * Reads `TARGET gone`, `TARGET exists`, `TARGET count == 2`, `TARGET .status.phase == Running`; a path goes into lists
 * by position (`[0]`) or by type or name (`[type=Ready]`), and has to hold for each of the objects, of which there is
 * at least one. Throws for any other text.
 */
export function parseCondition(text: string): Condition {
  const space = text.indexOf(' ')
  const target = parseTarget(text.slice(0, space))
  const rest = text.slice(space + 1)
  if (rest === 'gone') return { target, holds: (found) => found.length === 0 }
  if (rest === 'exists') return { target, holds: (found) => found.length > 0 }
  const [, countOperator, count] = COUNT.exec(rest) ?? []
  if (countOperator && count) return { target, holds: (found) => compare(found.length, countOperator, count) }
  const [, path, operator, value] = PATH.exec(rest) ?? []
  if (!path || !operator || !value) throw new Error(`not a condition: ${text}`)
  const holds = (one: ClusterObject) => isObserved(one) && compare(valueAt(one, path), operator, value)
  return { target, holds: (found) => found.length > 0 && found.every(holds) }
}

/** A status of an older spec tells nothing about what was asked for. */
function isObserved({ metadata, status }: ClusterObject): boolean {
  const { observedGeneration } = (status ?? {}) as { observedGeneration?: number }
  return observedGeneration === undefined || observedGeneration >= (metadata.generation ?? 0)
}

/** What is absent counts as 0, as the API leaves zeroes out. */
function compare(found: unknown, operator: string, wanted: string): boolean {
  const numeric = /^\d+$/.test(wanted)
  const [a, b] = numeric ? [Number(found ?? 0), Number(wanted)] : [String(found), wanted]
  switch (operator) {
    case '==':
      return a === b
    case '!=':
      return a !== b
    case '>=':
      return a >= b
    default:
      return a <= b
  }
}

function valueAt(object: unknown, path: string): unknown {
  const keys = path.match(/\[[^\]]+\]|[^.[\]]+/g) ?? []
  return keys.reduce<unknown>((value, key) => (key.startsWith('[') ? itemAt(value, key) : field(value, key)), object)
}

const field = (value: unknown, key: string): unknown => (value as Record<string, unknown> | undefined)?.[key]

function itemAt(value: unknown, bracket: string): unknown {
  if (!Array.isArray(value)) return undefined
  const inner = bracket.slice(1, -1)
  const [key, wanted] = inner.split('=')
  if (key === undefined || wanted === undefined) return value[Number(inner)]
  return value.find((item) => field(item, key) === wanted)
}
