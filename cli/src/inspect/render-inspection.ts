import { type Finding } from '@ordeal/shared'
import { type Screen } from '../terminal/terminal.js'
import { count, printable, wrap } from '../terminal/text.js'
import { type Inspection } from './inspection.js'

const COLOURS = { error: 'red', warning: 'yellow', note: 'dim' } as const
const SEVERITIES = ['error', 'warning', 'note'] as const

/** An inspection for people: what there is, who calls whom and how that is known, what is weak and why it matters. */
export function renderInspection(inspection: Inspection, screen: Screen): string {
  const { application, form, objects, graph, findings, notes } = inspection
  const width = Math.min(Math.max(screen.columns, 40), 120)
  const line = (text: string): string => {
    const lead = ' '.repeat(2 + text.length - text.trimStart().length)
    return lead + wrap(printable(text), width - lead.length, `${lead}  `)
  }
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length ? ['', screen.style('bold', title), ...lines] : []
  const parts = [
    count(objects.length, 'object'),
    count(graph.workloads.length, 'workload'),
    count(graph.services.length, 'service'),
  ].join(', ')
  const found = SEVERITIES.map((s) => count(findings.filter((f) => f.severity === s).length, s)).join(', ')
  return [
    `${screen.style('bold', printable(application))} (${form}): ${parts}; ${found}`,
    ...section('Entry points', graph.entryPoints.map(line)),
    ...section('Workloads', workloadLines(inspection).map(line)),
    ...section('Who calls whom', callLines(inspection).map(line)),
    ...section('What else belongs together', otherLines(inspection).map(line)),
    ...section('Weaknesses', findingLines(inspection, { screen, line })),
    ...section('Beside the application', notes.map(line)),
    '',
  ].join('\n')
}

function workloadLines({ graph }: Inspection): string[] {
  return graph.workloads.map(({ id, replicas, stateful, readiness, managed, source }) => {
    const services = graph.services.filter((s) => s.workloads.includes(id)).map((s) => s.id)
    const traits = [
      count(replicas, 'replica'),
      ...(stateful ? ['holds state'] : []),
      ...(managed ? [] : ['nothing recreates it']),
      ...(readiness ? [] : ['does not tell when it is ready']),
      ...(services.length ? [`behind ${services.join(', ')}`] : []),
    ]
    return `${id} (${source.file}:${source.line}): ${traits.join(', ')}`
  })
}

const percent = (confidence: number): string => `${Math.round(confidence * 100)} %`

const callLines = ({ graph }: Inspection): string[] =>
  graph.edges.map(({ from, to, evidence, confidence }) => `${from} → ${to} (${percent(confidence)}: ${evidence})`)

const otherLines = ({ links }: Inspection): string[] =>
  links
    .filter(({ kind }) => kind !== 'calls' && kind !== 'selects')
    .map(({ from, to, kind, evidence }) => `${from} ${kind} ${to} (${evidence})`)

interface Layout {
  readonly screen: Screen
  readonly line: (text: string) => string
}

/** Worst first; under the first finding of a rule why it matters and what would prove it. */
function findingLines({ findings, rules }: Inspection, { screen, line }: Layout): string[] {
  const told = new Set<string>()
  const sorted = SEVERITIES.flatMap((severity) => findings.filter((f) => f.severity === severity))
  return sorted.flatMap((finding) => {
    const rule = told.has(finding.rule) ? undefined : rules.find(({ id }) => id === finding.rule)
    told.add(finding.rule)
    return [
      heading(finding, { screen, line }),
      ...(rule ? [line(`    why: ${rule.why}`), line(`    proof: ${rule.proof}`)] : []),
    ]
  })
}

function heading({ severity, rule, object, file, line: row, message }: Finding, { screen, line }: Layout): string {
  const text = line(`${severity} ${rule} ${object} (${file}:${row}): ${message}`)
  const start = text.indexOf(severity)
  const end = start + severity.length
  return text.slice(0, start) + screen.style(COLOURS[severity], text.slice(start, end)) + text.slice(end)
}
