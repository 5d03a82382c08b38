import { type Finding, type Graph } from '@ordeal/shared'
import { type Project } from '../input/project.js'
import { autoscalerRules, budgetRules } from './budget-rules.js'
import { callRules } from './call-rules.js'
import { containerRules } from './container-rules.js'
import { dependencyRules } from './dependency-rules.js'
import { probeRules } from './probe-rules.js'
import { referenceRules } from './reference-rules.js'
import { replicaRules } from './replica-rules.js'
import { rolloutRules } from './rollout-rules.js'
import { applicationOf, type Rule, Sources, toFinding } from './rule.js'
import { serviceRules } from './service-rules.js'

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const allRules: readonly Rule[] = [
  ...replicaRules,
  ...rolloutRules,
  ...budgetRules,
  ...autoscalerRules,
  ...probeRules,
  ...containerRules,
  ...serviceRules,
  ...dependencyRules,
  ...callRules,
  ...referenceRules,
].toSorted((a, b) => compare(a.id, b.id))

/** Every static check in order of its id, with its usual severity, why it matters and what would prove it. */
export const rules: readonly Omit<Rule, 'find'>[] = allRules

/** The static weaknesses of an application, in order of file, line and rule. */
export function findWeaknesses(project: Pick<Project, 'objects' | 'files'>, graph: Graph): Finding[] {
  const application = applicationOf(project, graph)
  const sources = new Sources(project)
  return allRules
    .flatMap((rule) => rule.find(application).map((weakness) => toFinding(rule, weakness, sources)))
    .sort((a, b) => compare(a.file, b.file) || a.line - b.line || compare(a.rule, b.rule))
}
