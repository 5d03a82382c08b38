import { type CycleOptions, type Bundle, type Expectations, type Finding, type Graph, InputError } from '@ordeal/shared'
import {
  buildGraph,
  findWeaknesses,
  idOf,
  isCustomResource,
  type Project,
  readBundle,
  readProject,
  requireWorkload,
} from '@ordeal/kubernetes'
import { type ClusterScoped, readClusterScoped } from './cluster-scoped.js'

/** An application that a cycle can walk on. */
export interface Input {
  readonly bundle: Bundle
  readonly application: string
  /** The application's name as a project's name. */
  readonly project: string
  readonly graph: Graph
  /** By the rules alone; a model may make more of instructions. */
  readonly expectations: Expectations
  readonly findings: readonly Finding[]
  /** What the files hold that is not part of what is tested. */
  readonly notes: readonly string[]
  /** What would be made in the whole cluster. */
  readonly clusterScoped: readonly ClusterScoped[]
}

/**
 * Reads the user's files as a cycle would, so that whatever it would refuse is refused before anything is started.
 * Throws InputError with place and remedy; TerminalError when the cluster is unknown or does not answer.
 */
export async function readInput(paths: readonly string[], options: CycleOptions): Promise<Input> {
  const { expectByRules } = await import('@ordeal/hypothesis')
  const bundle = await readBundle(paths)
  const project = await readProject(bundle, options)
  const graph = buildGraph(project)
  requireWorkload(graph)
  const expectations = await expectByRules(bundle, graph, options)
  await requireCluster(options.cluster, project, expectations)
  return {
    bundle,
    application: project.application,
    project: projectName(project.application),
    graph,
    expectations,
    findings: findWeaknesses(project, graph),
    notes: project.notes,
    clusterScoped: await readClusterScoped(project, options),
  }
}

/** `My App_2` → `my-app-2`; a name that has nothing of use in it becomes `default`. */
function projectName(application: string): string {
  const name = application.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return name.slice(0, 63).replace(/^-+|-+$/g, '') || 'default'
}

async function requireCluster(context: string, project: Project, expectations: Expectations): Promise<void> {
  if (context === 'embedded') {
    await requireProfiles(expectations)
    return requireModelled(project)
  }
  const { connectCluster } = await import('@ordeal/kubernetes')
  await connectCluster({ kind: 'kubernetes', context })
}

/** Throws InputError that names everything in profiles of images which the embedded cluster would not understand. */
async function requireProfiles({ images = {} }: Expectations): Promise<void> {
  const { profileProblems } = await import('@ordeal/embedded-cluster')
  const problems = profileProblems(images)
  if (problems.length === 0) return
  const lines = problems.map((problem) => `\n  images.${problem}`)
  const remedy = 'docs/expectations.md lists what a profile may say'
  throw new InputError(`profiles of images that cannot be understood:${lines.join('')}`, 'ordeal.yaml', remedy)
}

/** Throws InputError that names every object which the embedded cluster would not take, and why. */
async function requireModelled(project: Project): Promise<void> {
  const { refusalsOf } = await import('@ordeal/embedded-cluster')
  // A sandbox takes the place of the input's namespaces; custom resources that a cluster does not know have no effect.
  const objects = project.objects.filter(({ object }) => object.kind !== 'Namespace' && !isCustomResource(object))
  const refusals = refusalsOf(objects.map(({ object }) => object))
  if (refusals.length === 0) return
  const lines = refusals.map(({ object, message }) => {
    const source = objects.find((o) => idOf(o.object) === object)?.source
    return `\n  ${source ? `${source.file}:${source.line}: ` : ''}${object}: ${message}`
  })
  throw new InputError(
    `the embedded cluster cannot take ${refusals.length} of ${objects.length} objects:${lines.join('')}`,
    null,
    'Mend them or leave them out, or test on a cluster of your own with --cluster CONTEXT',
  )
}
