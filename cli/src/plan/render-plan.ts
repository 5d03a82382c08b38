import {
  formatDuration,
  type Fault,
  type Finding,
  type Graph,
  type Probe,
  type Scenario,
  type SteadyStateDraft,
} from '@ordeal/shared'
import { type ClusterScoped } from '../cluster-scoped.js'
import { type Screen } from '../terminal/terminal.js'
import { count, printable, wrap } from '../terminal/text.js'

/** What a cycle would do: `ordeal plan --json` prints it as it is. */
export interface Plan {
  readonly schema: 'ordeal.plan/v1'
  readonly application: string
  readonly cluster: string
  readonly graph: Graph
  readonly findings: readonly Finding[]
  readonly clusterScoped: readonly ClusterScoped[]
  readonly steadyStates: readonly SteadyStateDraft[]
  readonly scenario: Scenario
  readonly assumptions: readonly string[]
}

const TARGETS = {
  one: () => 'one pod',
  fixed: (n: number | null) => count(n ?? 1, 'pod'),
  all: () => 'all pods',
  node: () => 'all pods on one node',
} as const

function hit({ action, target, parameters, durationMs }: Fault): string {
  const settings = Object.entries(parameters).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  const details = [`for ${formatDuration(durationMs)}`, ...settings].join(', ')
  return printable(`${action} on ${TARGETS[target.mode](target.count)} of ${target.component}, ${details}`)
}

function how(probe: Probe): string {
  switch (probe.kind) {
    case 'http':
      return `HTTP ${probe.service}:${probe.port}${probe.path}${probe.through ? ` through ${probe.through.ingress}` : ''}, ${probe.ratePerSecond} requests/s, time-out ${formatDuration(probe.timeoutMs)}`
    case 'k8s':
      return `pods ready, every ${formatDuration(probe.periodMs)}, at least ${probe.minReady}`
    case 'script':
      return `script against ${probe.service}:${probe.port}, every ${formatDuration(probe.periodMs)}, time-out ${formatDuration(probe.timeoutMs)}`
  }
}

function asked({ statement, probe, threshold }: SteadyStateDraft): string[] {
  const { fault, post } = threshold
  const bounds =
    `≥ ${Math.round(fault.minShare * 1000) / 10} % good during the fault, no outage over ${formatDuration(fault.maxOutageMs)}; ` +
    `normal from ${formatDuration(post.normalAfterMs)} after it`
  return [printable(statement), `  ${printable(how(probe))}`, `  ${bounds}`]
}

const finding = (f: Finding): string => printable(`${f.severity}: ${f.object} (${f.file}:${f.line}): ${f.message}`)

const scoped = ({ object, file, line, refusal }: ClusterScoped): string =>
  printable(`${object} (${file}:${line})${refusal ? `: not made, whatever the consent: ${refusal}` : ''}`)

/** How many entry points are named before the rest is counted. */
const NAMED = 5

function some(names: readonly string[]): string {
  if (names.length === 0) return 'nothing'
  const more = names.length - NAMED
  return more > 0 ? `${names.slice(0, NAMED).join(', ')} and ${more} more` : names.join(', ')
}

/** A plan for people. */
export function renderPlan(plan: Plan, screen: Screen): string {
  const width = Math.min(Math.max(screen.columns, 40), 120)
  const line = (text: string): string => {
    const lead = ' '.repeat(2 + text.length - text.trimStart().length)
    return lead + wrap(text, width - lead.length, `${lead}  `)
  }
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length ? ['', screen.style('bold', title), ...lines.map(line)] : []
  const { graph, scenario } = plan
  const parts = `${count(graph.workloads.length, 'workload')}, ${count(graph.services.length, 'service')}`
  return [
    `${screen.style('bold', printable(plan.application))}: ${parts}, entered by ${some(graph.entryPoints)}`,
    ...section(
      'What would be hit',
      scenario.faults.flatMap((step, index) =>
        step.map((fault) => (scenario.faults.length > 1 ? `step ${index + 1}: ${hit(fault)}` : hit(fault))),
      ),
    ),
    `  ${wrap(printable(scenario.reason), width - 2, '  ')}`,
    ...section('What would be checked', plan.steadyStates.flatMap(asked)),
    ...section('What would be made in the whole cluster, with --allow-cluster-scoped', plan.clusterScoped.map(scoped)),
    ...section('Weaknesses that the manifests show', plan.findings.map(finding)),
    ...section('What is assumed', plan.assumptions.map(printable)),
    '',
    'Nothing was injected. Checks that cannot fail are left out once they have been measured.',
    '',
  ].join('\n')
}
