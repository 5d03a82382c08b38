import { type Attempt, resourceOf } from './attempt.js'

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

const has = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && (list.includes('*') || list.includes(value))

/** Whether a rule allows the attempt, as RBAC reads rules. */
export function ruleAllows(rule: PolicyRule, attempt: Attempt): boolean {
  if (!has(rule.verbs, attempt.verb)) return false
  if (attempt.url !== undefined)
    return (rule.nonResourceURLs ?? []).some((pattern) => covers(pattern, attempt.url ?? ''))
  return has(rule.apiGroups, attempt.group ?? '') && namesResource(rule, attempt) && namesObject(rule, attempt)
}

const covers = (pattern: string, url: string): boolean =>
  pattern === url || (pattern.endsWith('*') && url.startsWith(pattern.slice(0, -1)))

function namesResource({ resources }: PolicyRule, attempt: Attempt): boolean {
  const ofAll = attempt.subresource === undefined ? null : `*/${attempt.subresource}`
  return has(resources, resourceOf(attempt)) || (ofAll !== null && (resources ?? []).includes(ofAll))
}

const namesObject = ({ resourceNames = [] }: PolicyRule, { name = '' }: Attempt): boolean =>
  resourceNames.length === 0 || resourceNames.includes(name)
