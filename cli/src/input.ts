import { type CycleOptions, type Bundle, type Finding, type Graph } from '@ordeal/shared'
import { buildGraph, findWeaknesses, readBundle, readProject, requireWorkload } from '@ordeal/kubernetes'

/** An application that a cycle can walk on. */
export interface Input {
  readonly bundle: Bundle
  readonly application: string
  /** The application's name as a project's name. */
  readonly project: string
  readonly graph: Graph
  readonly findings: readonly Finding[]
}

/**
 * Reads the user's files as a cycle would, so that whatever it would refuse is refused before anything is started.
 * Throws InputError with place and remedy; TerminalError when the cluster is unknown or does not answer.
 */
export async function readInput(path: string, options: CycleOptions): Promise<Input> {
  const { refuseUnsupported, requireTarget } = await import('@ordeal/hypothesis')
  const bundle = await readBundle(path)
  const project = readProject(bundle, options)
  const graph = buildGraph(project)
  requireWorkload(graph)
  requireTarget(graph)
  refuseUnsupported(options)
  await requireCluster(options.cluster)
  return {
    bundle,
    application: project.application,
    project: projectName(project.application),
    graph,
    findings: findWeaknesses(project, graph),
  }
}

/** `My App_2` → `my-app-2`; a name that has nothing of use in it becomes `default`. */
function projectName(application: string): string {
  const name = application.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return name.slice(0, 63).replace(/^-+|-+$/g, '') || 'default'
}

async function requireCluster(context: string): Promise<void> {
  if (context === 'embedded') return
  const { connectCluster } = await import('@ordeal/kubernetes')
  await connectCluster({ kind: 'kubernetes', context })
}
