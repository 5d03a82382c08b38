import { type Graph } from '@ordeal/shared'
import { nameOf, type LinkKind } from '@ordeal/kubernetes'
import { type Inspection } from './inspection.js'

/** Colours that stay apart for readers who see few of them, and in print. */
const COLOURS = { error: '#c0392b', warning: '#d68910', note: '#5d6d7e', none: '#1e8449' } as const

const SHAPES: Record<string, string> = {
  Service: 'ellipse',
  Ingress: 'house',
  HTTPRoute: 'house',
  GRPCRoute: 'house',
  VirtualService: 'house',
  IngressRoute: 'house',
  ConfigMap: 'note',
  Secret: 'note',
  PersistentVolumeClaim: 'cylinder',
  HorizontalPodAutoscaler: 'hexagon',
  PodDisruptionBudget: 'octagon',
  NetworkPolicy: 'octagon',
}

const STYLES: Record<LinkKind, string> = {
  calls: 'penwidth=1.6',
  routes: 'penwidth=1.6',
  selects: 'color="#5d6d7e"',
  configures: 'style=dotted, color="#839192", arrowhead=empty',
  stores: 'style=dotted, color="#839192", arrowhead=empty',
  scales: 'style=dashed, color="#839192", arrowhead=empty',
  protects: 'style=dashed, color="#839192", arrowhead=empty',
  shields: 'style=dashed, color="#839192", arrowhead=empty',
}

/** A text within double quotes of the DOT language. */
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** The graph of an application in the DOT language: entry points at the left, doubts dashed, weaknesses by colour. */
export function drawGraph({ application, graph, links, findings }: Inspection): string {
  const linked = new Set(links.flatMap((link) => [link.from, link.to]))
  const parts = [...graph.workloads, ...graph.services].map(({ id }) => id)
  const nodes = [...new Set([...parts, ...linked])]
  const worst = worstOf(findings)
  const entries = new Set(graph.entryPoints)
  return [
    `digraph ${quoted(application)} {`,
    '  graph [rankdir=LR, fontname="sans-serif", nodesep=0.3, ranksep=0.6]',
    '  node [fontname="sans-serif", fontsize=11, shape=box]',
    '  edge [fontname="sans-serif", fontsize=9]',
    ...(entries.size ? ['  "users" [shape=circle, style=filled, fillcolor="#eaecee"]'] : []),
    ...nodes.map((id) => `  ${quoted(id)} [${nodeAttributes(id, graph, worst)}]`),
    ...[...entries].map((id) => `  "users" -> ${quoted(id)} [penwidth=1.6]`),
    ...links.map(({ from, to, kind, evidence, confidence }) => {
      const doubt = confidence < 0.8 ? `, style=dashed, label=${quoted(String(confidence))}` : ''
      return `  ${quoted(from)} -> ${quoted(to)} [${STYLES[kind]}, tooltip=${quoted(`${kind}: ${evidence}`)}${doubt}]`
    }),
    '}',
    '',
  ].join('\n')
}

type Severity = keyof typeof COLOURS
const RANK: readonly Severity[] = ['note', 'warning', 'error']

function worstOf(findings: Inspection['findings']): ReadonlyMap<string, Severity> {
  const worst = new Map<string, Severity>()
  for (const { object, severity } of findings) {
    if (RANK.indexOf(severity) > RANK.indexOf(worst.get(object) ?? 'none')) worst.set(object, severity)
  }
  return worst
}

function nodeAttributes(id: string, graph: Graph, worst: ReadonlyMap<string, Severity>): string {
  const [kind = ''] = id.split('/')
  const workload = graph.workloads.find((w) => w.id === id)
  const replicas = workload && workload.replicas !== 1 ? ` ×${workload.replicas}` : ''
  const shape = workload?.stateful ? 'cylinder' : (SHAPES[kind] ?? 'box')
  const label = quoted(`${nameOf(id)}${replicas}`).slice(0, -1) + `\\n${kind}"`
  return `label=${label}, shape=${shape}, color="${COLOURS[worst.get(id) ?? 'none']}"`
}

/** A DOT text as an SVG picture, laid out by Graphviz. Throws where the text is no graph. */
export async function pictureOf(dot: string): Promise<string> {
  const { instance } = await import('@viz-js/viz')
  const viz = await instance()
  return viz.renderString(dot, { format: 'svg', engine: 'dot' })
}
