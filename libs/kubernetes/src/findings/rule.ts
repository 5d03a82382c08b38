import { type Finding, type Graph, type Workload } from '@ordeal/shared'
import { formatPointer } from '../input/json-pointer.js'
import { LabelIndex } from '../graph/label-index.js'
import { isCustomResource } from '../input/custom-resource.js'
import { type NamedService } from '../graph/host-names.js'
import { autoscalersOf, podSpecOf, podSpecPath } from '../graph/pod-template.js'
import {
  idOf,
  type JsonMap,
  type KubernetesObject,
  mapsAt,
  nameOf,
  stringsAt,
  textAt,
} from '../input/kubernetes-object.js'
import { type ObjectSource, type Project, type SourcedObject } from '../input/project.js'
import { offsetAt, readableYaml, type TextFile } from '../input/yaml-file.js'

export type Severity = Finding['severity']
export type Path = readonly (string | number)[]

/** What a rule looks at. */
export interface Application {
  readonly graph: Graph
  readonly objects: readonly KubernetesObject[]
  readonly byId: ReadonlyMap<string, KubernetesObject>
  /** Every object that runs pods, Jobs too, by the labels of its pods. */
  readonly pods: LabelIndex
  /** Workloads that users or other workloads reach through a service. */
  readonly served: ReadonlySet<string>
  /** Services by name, as a setting may name them. */
  readonly services: ReadonlyMap<string, NamedService>
  /** Disruption budgets by the id of the objects whose pods they keep. */
  readonly budgets: ReadonlyMap<string, readonly KubernetesObject[]>
  /** Autoscalers by the id of what they scale. */
  readonly scalers: ReadonlyMap<string, KubernetesObject>
  /** True when an operator may make pods that stand in no manifest. */
  readonly isOperated: boolean
}

export function applicationOf(project: Pick<Project, 'objects' | 'files'>, graph: Graph): Application {
  const objects = project.objects.map((o) => o.object)
  const pods = new LabelIndex(objects)
  return {
    graph,
    objects,
    byId: new Map(objects.map((o) => [idOf(o), o])),
    pods,
    served: new Set(graph.services.flatMap((s) => s.workloads)),
    services: new Map(
      graph.services.map((s) => [nameOf(s.id), { name: nameOf(s.id), ports: s.ports.map((p) => p.port) }]),
    ),
    budgets: budgetsOf(objects, pods),
    scalers: autoscalersOf(objects),
    isOperated: objects.some(isForeign),
  }
}

function budgetsOf(objects: readonly KubernetesObject[], pods: LabelIndex): Map<string, KubernetesObject[]> {
  const budgets = new Map<string, KubernetesObject[]>()
  for (const budget of objects.filter((o) => o.kind === 'PodDisruptionBudget')) {
    for (const object of pods.select(stringsAt(budget, 'spec', 'selector', 'matchLabels'))) {
      budgets.set(idOf(object), [...(budgets.get(idOf(object)) ?? []), budget])
    }
  }
  return budgets
}

/** Custom resources that make no pods. */
const PODLESS =
  /^(ServiceMonitor|PodMonitor|PrometheusRule|Certificate|Issuer|ClusterIssuer|VirtualService|DestinationRule|Gateway|PeerAuthentication|AuthorizationPolicy|Sidecar|ServiceEntry|RequestAuthentication|Telemetry|IngressRoute|IngressRouteTCP|Middleware|HTTPProxy|Route|SealedSecret|ExternalSecret|SecretStore|ScaledObject|GrafanaDashboard|ConfigConnector|Kustomization|VerticalPodAutoscaler|ServiceProfile)$/

/** A custom resource for which an operator may make pods, so that what selects pods may mean those. */
const isForeign = (object: KubernetesObject): boolean => isCustomResource(object) && !PODLESS.test(object.kind)

/** A weakness that a rule sees: where, and what it means under failure. `severity` where it differs from the rule's. */
export interface Weakness {
  readonly object: KubernetesObject
  readonly path: Path
  readonly message: string
  readonly severity?: Severity
}

/** A static check. `id` never changes its meaning. */
export interface Rule {
  readonly id: string
  readonly severity: Severity
  /** What failure brings it to light, and what that looks like. */
  readonly why: string
  /** The experiment that would show it. */
  readonly proof: string
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

/** A container (or a volume) as messages name it. */
export const containerName = (container: JsonMap): string => textAt(container, 'name') ?? '?'

interface Around {
  readonly object: KubernetesObject
  readonly workload: Workload
  readonly application: Application
}

/** A rule that looks at one container of a workload at a time; start-up containers are left out. */
export const containerRule = (
  rule: Omit<Rule, 'find'>,
  find: (container: JsonMap, path: Path, around: Around) => Weakness[],
): Rule =>
  workloadRule(rule, (object, workload, application) =>
    mapsAt(podSpecOf(object), 'containers').flatMap((container, index) =>
      find(container, [...podSpecPath(object), 'containers', index], { object, workload, application }),
    ),
  )

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

  constructor(project: Pick<Project, 'objects' | 'files'>) {
    this.entries = new Map(project.objects.map((o) => [o.object, o]))
    this.files = new Map(project.files.map((f) => [f.path, f]))
  }

  placeOf(object: KubernetesObject, path: Path): { file: string; line: number } {
    const entry = this.entries.get(object)
    if (!entry) return { file: '', line: 1 }
    return { file: entry.source.file, line: path.length ? this.lineOf(entry, path) : entry.source.line }
  }

  private lineOf({ source, origin }: SourcedObject, path: Path): number {
    const file = this.files.get(source.file)
    if (!file || (origin?.kind === 'kustomize' && origin.generated)) return source.line
    return origin?.kind === 'helm' ? lineInTemplate(file, source.line, path) : lineInDocument(file, source, path)
  }
}

function lineInDocument(file: TextFile, source: ObjectSource, path: Path): number {
  const yaml = readableYaml(file)
  const document = yaml?.documents[source.docIndex]?.document
  const item = source.itemIndex === null ? [] : ['items', String(source.itemIndex)]
  return yaml && document ? yaml.lineAt(offsetAt(document, [...item, ...path.map(String)])) : source.line
}

/** The first line of the template's document on which the path's last field stands as a key. */
function lineInTemplate(file: TextFile, from: number, path: Path): number {
  const field = path.findLast((segment) => typeof segment === 'string' && !/^\d+$/.test(segment))
  const isKey = new RegExp(`^[\\s-]*"?${String(field).replace(/\W/g, '\\$&')}"?:`)
  const lines = file.content.split('\n').slice(from - 1)
  const end = lines.findIndex((line) => line.startsWith('---'))
  const at = lines.slice(0, end < 0 ? lines.length : end).findIndex((line) => isKey.test(line))
  return at < 0 ? from : from + at
}
