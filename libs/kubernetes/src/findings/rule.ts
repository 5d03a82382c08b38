import { type Finding, type Graph, type Workload } from '@ordeal/shared'
import { formatPointer } from '../input/json-pointer.js'
import { idOf, type KubernetesObject } from '../input/kubernetes-object.js'
import { type Project, type SourcedObject } from '../input/project.js'
import { offsetAt, parseYamlFile } from '../input/yaml-file.js'

export type Severity = Finding['severity']
export type Path = readonly (string | number)[]

/** What a rule looks at. */
export interface Application {
  readonly project: Project
  readonly graph: Graph
  readonly objects: readonly KubernetesObject[]
}

/** A weakness that a rule sees: where, and what it means under failure. `severity` where it differs from the rule's. */
export interface Weakness {
  readonly object: KubernetesObject
  readonly path: Path
  readonly message: string
  readonly severity?: Severity
}

/** A static check. `id` never changes its meaning; `why` says what failure brings it to light. */
export interface Rule {
  readonly id: string
  readonly severity: Severity
  readonly why: string
  find(application: Application): Weakness[]
}

/** A rule that looks at one workload at a time. */
export const workloadRule = (
  rule: Omit<Rule, 'find'>,
  find: (object: KubernetesObject, workload: Workload, application: Application) => Weakness[],
): Rule => ({
  ...rule,
  find: (application) =>
    application.graph.workloads.flatMap((workload) => {
      const object = application.objects.find((o) => idOf(o) === workload.id)
      return object ? find(object, workload, application) : []
    }),
})

/** True when users or other workloads reach the workload through a service. */
export const isServed = (workload: Workload, { graph }: Application): boolean =>
  graph.services.some((service) => service.workloads.includes(workload.id))

/** A weakness as a finding, with the line at which its path, or what is nearest to it, stands. */
export function toFinding(rule: Rule, weakness: Weakness, project: Project): Finding {
  const { object, path, message } = weakness
  const entry = project.objects.find((o) => o.object === object)
  return {
    rule: rule.id,
    severity: weakness.severity ?? rule.severity,
    object: idOf(object),
    path: formatPointer(path),
    message,
    file: entry?.source.file ?? '',
    line: entry ? lineOf(project, entry, path) : 1,
  }
}

function lineOf(project: Project, { source }: SourcedObject, path: Path): number {
  const file = project.files.find((f) => f.path === source.file)
  const yaml = file ? parseYamlFile(file) : null
  const document = yaml?.documents[source.docIndex]?.document
  if (!yaml || !document) return source.line
  const item = source.itemIndex === null ? [] : ['items', String(source.itemIndex)]
  return path.length ? yaml.lineAt(offsetAt(document, [...item, ...path.map(String)])) : source.line
}
