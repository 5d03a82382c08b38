import { type Finding, type Graph, type Workload } from '@ordeal/shared'
import { formatPointer } from '../input/json-pointer.js'
import { LabelIndex } from '../graph/label-index.js'
import { idOf, type KubernetesObject, stringsAt } from '../input/kubernetes-object.js'
import { type ObjectSource, type Project, type SourcedObject } from '../input/project.js'
import { offsetAt, parseYamlFile, type TextFile } from '../input/yaml-file.js'

export type Severity = Finding['severity']
export type Path = readonly (string | number)[]

/** What a rule looks at. */
export interface Application {
  readonly project: Project
  readonly graph: Graph
  readonly objects: readonly KubernetesObject[]
  readonly byId: ReadonlyMap<string, KubernetesObject>
  /** Every object that runs pods, Jobs too, by the labels of its pods. */
  readonly pods: LabelIndex
  /** Workloads that users or other workloads reach through a service. */
  readonly served: ReadonlySet<string>
  /** Disruption budgets by the id of the objects whose pods they keep. */
  readonly budgets: ReadonlyMap<string, readonly KubernetesObject[]>
}

export function applicationOf(project: Project, graph: Graph): Application {
  const objects = project.objects.map((o) => o.object)
  const pods = new LabelIndex(objects)
  const kept = objects
    .filter((o) => o.kind === 'PodDisruptionBudget')
    .flatMap((budget) =>
      pods.select(stringsAt(budget, 'spec', 'selector', 'matchLabels')).map((o) => ({ id: idOf(o), budget })),
    )
  return {
    project,
    graph,
    objects,
    byId: new Map(objects.map((o) => [idOf(o), o])),
    pods,
    served: new Set(graph.services.flatMap((s) => s.workloads)),
    budgets: new Map(kept.map(({ id }) => [id, kept.filter((k) => k.id === id).map((k) => k.budget)])),
  }
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
      const object = application.byId.get(workload.id)
      return object ? find(object, workload, application) : []
    }),
})

/** A weakness as a finding, with the line at which its path, or what is nearest to it, stands. */
export function toFinding(rule: Rule, weakness: Weakness, sources: Sources): Finding {
  const { object, path, message } = weakness
  const place = sources.placeOf(object, path)
  return {
    rule: rule.id,
    severity: weakness.severity ?? rule.severity,
    object: idOf(object),
    path: formatPointer(path),
    message,
    ...place,
  }
}

/** Where objects and their fields stand in the user's files. */
export class Sources {
  private readonly entries: ReadonlyMap<KubernetesObject, SourcedObject>
  private readonly files: ReadonlyMap<string, TextFile>

  constructor(project: Project) {
    this.entries = new Map(project.objects.map((o) => [o.object, o]))
    this.files = new Map(project.files.map((f) => [f.path, f]))
  }

  placeOf(object: KubernetesObject, path: Path): { file: string; line: number } {
    const source = this.entries.get(object)?.source
    if (!source) return { file: '', line: 1 }
    return { file: source.file, line: path.length ? this.lineOf(source, path) : source.line }
  }

  private lineOf(source: ObjectSource, path: Path): number {
    const file = this.files.get(source.file)
    const yaml = file && parseYamlFile(file)
    const document = yaml?.documents[source.docIndex]?.document
    const item = source.itemIndex === null ? [] : ['items', String(source.itemIndex)]
    return yaml && document ? yaml.lineAt(offsetAt(document, [...item, ...path.map(String)])) : source.line
  }
}
