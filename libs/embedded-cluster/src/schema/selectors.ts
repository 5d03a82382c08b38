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
  for (const key in selector.matchLabels) if (own[key] !== selector.matchLabels[key]) return false
  if (!selector.matchExpressions) return true
  return selector.matchExpressions.every(({ key, operator, values }) =>
    holds({ key, operator: OPERATORS.get(operator) ?? 'in', values: values ?? [] }, own),
  )
}

const OPERATORS: ReadonlyMap<string, Requirement['operator']> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', 'absent'],
])

/** Whether a label that is there fits; one that is not there fits `notin` and `absent` only. */
const FITS: Readonly<Record<Requirement['operator'], (value: string, values: readonly string[]) => boolean>> = {
  in: (value, values) => values.includes(value),
  notin: (value, values) => !values.includes(value),
  exists: () => true,
  absent: () => false,
  gt: (value, values) => Number(value) > Number(values[0]),
  lt: (value, values) => Number(value) < Number(values[0]),
}

function holds({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  return value === undefined ? operator === 'notin' || operator === 'absent' : FITS[operator](value, values)
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

const FORMS: readonly ((term: string) => Requirement | null)[] = [
  (term) => {
    const match = SET_BASED.exec(term)
    const values = (match?.[3] ?? '').split(',').map((value) => value.trim())
    return match && { key: match[1] ?? '', operator: match[2] as 'in' | 'notin', values }
  },
  (term) => {
    const match = COMPARED.exec(term)
    return match && { key: match[1] ?? '', operator: comparison(match[2] ?? ''), values: [match[3] ?? ''] }
  },
  (term) => {
    const match = EXISTENCE.exec(term)
    return match && { key: match[2] ?? '', operator: match[1] ? 'absent' : 'exists', values: [] }
  },
]

function parseRequirement(term: string): Requirement {
  for (const form of FORMS) {
    const requirement = form(term)
    if (requirement) return requirement
  }
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
