import {
  buildGraph,
  findWeaknesses,
  idOf,
  type KubernetesObject,
  type Link,
  linksOf,
  type ProjectOptions,
  readBundle,
  readProject,
  rules,
  sliceAround,
} from '@ordeal/kubernetes'
import { type Finding, type Graph } from '@ordeal/shared'
import { UsageError } from '../errors.js'

/** An object of the application, and where it stands, or what it was made of. */
export interface InspectedObject {
  readonly id: string
  readonly apiVersion: string
  readonly file: string
  readonly line: number
}

/** What the manifests of an application show by themselves: `ordeal inspect --json` prints it as it is. */
export interface Inspection {
  readonly schema: 'ordeal.inspection/v1'
  readonly application: string
  readonly form: string
  readonly objects: readonly InspectedObject[]
  readonly graph: Graph
  /** Every relation between the objects, with its evidence. */
  readonly links: readonly Link[]
  readonly findings: readonly Finding[]
  /** Why each rule that found something matters, and what would prove it. */
  readonly rules: readonly { readonly id: string; readonly why: string; readonly proof: string }[]
  /** What was found beside the application. */
  readonly notes: readonly string[]
}

/** What to look at: all of an application, or, where objects are named, what a question about those needs. */
export interface View {
  readonly project: ProjectOptions
  /** Ids (`Kind/name`); none for all. */
  readonly around: readonly string[]
}

/**
 * Reads an application and looks at it, without any cluster. Throws InputError with place and remedy for what cannot be
 * read, UsageError for an object that is not there.
 */
export async function inspectPath(paths: readonly string[], { project: options, around }: View): Promise<Inspection> {
  const project = await readProject(await readBundle(paths), options)
  const objects = project.objects.map((o) => o.object)
  const whole = buildGraph(project)
  requireKnown(around, objects.map(idOf))
  const { graph, links, own } = around.length ? sliced(whole, objects, around) : unsliced(whole, objects)
  const shown = new Set([...own, ...links.flatMap((link) => [link.from, link.to])])
  const findings = findWeaknesses(project, whole).filter((f) => own.has(f.object))
  const found = new Set(findings.map(({ rule }) => rule))
  return {
    schema: 'ordeal.inspection/v1',
    application: project.application,
    form: project.form,
    objects: project.objects
      .map(({ object, source }) => ({ id: idOf(object), apiVersion: object.apiVersion, ...placeOf(source) }))
      .filter(({ id }) => shown.has(id)),
    graph,
    links,
    findings,
    rules: rules.filter(({ id }) => found.has(id)).map(({ id, why, proof }) => ({ id, why, proof })),
    notes: project.notes,
  }
}

const placeOf = ({ file, line }: { file: string; line: number }) => ({ file, line })

/** A graph with its relations, and the objects whose weaknesses are told. */
type Part = Pick<Inspection, 'graph' | 'links'> & { readonly own: ReadonlySet<string> }

const unsliced = (graph: Graph, objects: readonly KubernetesObject[]): Part => ({
  graph,
  links: linksOf(graph, objects),
  own: new Set(objects.map(idOf)),
})

function sliced(whole: Graph, all: readonly KubernetesObject[], around: readonly string[]): Part {
  const { graph, links, objects } = sliceAround(whole, all, around)
  return { graph, links, own: new Set(objects.map(idOf)) }
}

function requireKnown(around: readonly string[], known: readonly string[]): void {
  const strange = around.find((id) => !known.includes(id))
  if (strange === undefined) return
  const more = known.length > 10 ? ` and ${known.length - 10} more` : ''
  throw new UsageError(
    `--around ${strange}: there is no such object`,
    `There are ${known.slice(0, 10).join(', ')}${more}`,
  )
}
