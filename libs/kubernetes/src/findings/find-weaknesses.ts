import { type Finding, type Graph } from '@ordeal/shared'
import { type Project } from '../input/project.js'
import { containerRules } from './container-rules.js'
import { referenceRules } from './reference-rules.js'
import { replicaRules } from './replica-rules.js'
import { applicationOf, type Rule, Sources, toFinding } from './rule.js'
import { serviceRules } from './service-rules.js'

const allRules: readonly Rule[] = [...replicaRules, ...containerRules, ...serviceRules, ...referenceRules]

/** Every static check: its id, which never changes its meaning, its usual severity, and what brings it to light. */
export const rules: readonly Pick<Rule, 'id' | 'severity' | 'why'>[] = allRules

/** The static weaknesses of an application, in order of file, line and rule. */
export function findWeaknesses(project: Project, graph: Graph): Finding[] {
  const application = applicationOf(project, graph)
  const sources = new Sources(project)
  return allRules
    .flatMap((rule) => rule.find(application).map((weakness) => toFinding(rule, weakness, sources)))
    .sort((a, b) => compare(a.file, b.file) || a.line - b.line || compare(a.rule, b.rule))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
