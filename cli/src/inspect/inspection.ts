import {
  buildGraph,
  findWeaknesses,
  idOf,
  type Link,
  linksOf,
  type ProjectOptions,
  readBundle,
  readProject,
  rules,
} from '@ordeal/kubernetes'
import { type Finding, type Graph } from '@ordeal/shared'

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

/** Reads an application and looks at it, without any cluster. Throws InputError with place and remedy. */
export async function inspectPath(paths: readonly string[], options: ProjectOptions): Promise<Inspection> {
  const project = await readProject(await readBundle(paths), options)
  const graph = buildGraph(project)
  const findings = findWeaknesses(project, graph)
  const found = new Set(findings.map(({ rule }) => rule))
  return {
    schema: 'ordeal.inspection/v1',
    application: project.application,
    form: project.form,
    objects: project.objects.map(({ object, source }) => ({
      id: idOf(object),
      apiVersion: object.apiVersion,
      file: source.file,
      line: source.line,
    })),
    graph,
    links: linksOf(
      graph,
      project.objects.map((o) => o.object),
    ),
    findings,
    rules: rules.filter(({ id }) => found.has(id)).map(({ id, why, proof }) => ({ id, why, proof })),
    notes: project.notes,
  }
}
