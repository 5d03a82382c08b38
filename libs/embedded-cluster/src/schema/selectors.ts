import { badRequest } from '../store/api-error.js'

export type Labels = Readonly<Record<string, string>>

/** One requirement on a label (or field). */
interface Requirement {
  readonly key: string
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt'
  readonly values: readonly string[]
}

/** `metav1.LabelSelector` as objects carry it. */
export interface LabelSelector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[]
}

/** Whether labels fit a `metav1.LabelSelector`; an empty one fits everything, a missing one nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (!selector) return false
  const own = labels ?? {}
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (own[key] !== value) return false
  return (selector.matchExpressions ?? []).every(({ key, operator, values }) =>
    holds({ key, operator: OPERATORS[operator] ?? 'in', values: values ?? [] }, own),
  )
}

const OPERATORS: Readonly<Record<string, Requirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
}

function holds(requirement: Requirement, labels: Labels): boolean {
  const { key, operator, values } = requirement
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value)
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case 'gt':
      return value !== undefined && Number(value) > Number(values[0])
    case 'lt':
      return value !== undefined && Number(value) < Number(values[0])
  }
}

const SET_BASED = /^([^\s!=<>,()]+)\s+(in|notin)\s*\(([^)]*)\)$/
const COMPARED = /^([^\s!=<>,()]+)\s*(==|=|!=|>|<)\s*([^\s!=<>,()]*)$/
const EXISTENCE = /^(!?)\s*([^\s!=<>,()]+)$/

/** Reads the query parameter `labelSelector`. Throws ApiError 400. */
export function parseLabelSelector(text: string): (labels: Labels | undefined) => boolean {
  const requirements = splitTerms(text).map(parseRequirement)
  return (labels) => requirements.every((requirement) => holds(requirement, labels ?? {}))
}

/** Splits at commas outside parentheses. */
function splitTerms(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '')
}

function parseRequirement(term: string): Requirement {
  const set = SET_BASED.exec(term)
  if (set) {
    const values = (set[3] ?? '').split(',').map((value) => value.trim())
    return { key: set[1] ?? '', operator: set[2] as 'in' | 'notin', values }
  }
  const compared = COMPARED.exec(term)
  if (compared) return { key: compared[1] ?? '', operator: comparison(compared[2] ?? ''), values: [compared[3] ?? ''] }
  const existence = EXISTENCE.exec(term)
  if (existence) return { key: existence[2] ?? '', operator: existence[1] ? 'absent' : 'exists', values: [] }
  throw badRequest(`unable to parse requirement: ${term}`)
}

function comparison(sign: string): Requirement['operator'] {
  if (sign === '!=') return 'notin'
  if (sign === '>') return 'gt'
  return sign === '<' ? 'lt' : 'in'
}

/** Reads the query parameter `fieldSelector`: `path=value`, `==`, `!=`. Throws ApiError 400. */
export function parseFieldSelector(text: string, allowed: readonly string[]): (object: unknown) => boolean {
  const terms = splitTerms(text).map((term) => {
    const match = /^([^=!]+)(!=|==|=)(.*)$/.exec(term)
    if (!match) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`)
    const [, path = '', sign = '', value = ''] = match
    if (!allowed.includes(path)) throw badRequest(`field label not supported: ${path}`)
    return { path: path.split('.'), negated: sign === '!=', value }
  })
  return (object) => terms.every(({ path, negated, value }) => (textAt(object, path) === value) !== negated)
}

function textAt(object: unknown, path: readonly string[]): string {
  let value: unknown = object
  for (const field of path) value = (value as Record<string, unknown> | undefined)?.[field]
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
