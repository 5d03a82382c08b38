const UNJUDGED = 'nothing real has judged a model of it'
const BY_ORDEAL = 'Ordeal makes each fault itself, at its time'

/** Kinds that people expect beside those that there are, and why there are none. */
const REASONS: Readonly<Record<string, string>> = {
  'chaos-mesh.org/v1alpha1/IOChaos': `programs read and write no files here; ${UNJUDGED}`,
  'chaos-mesh.org/v1alpha1/TimeChaos': `programs have no clock of their own here; ${UNJUDGED}`,
  'chaos-mesh.org/v1alpha1/JVMChaos': `there are no Java machines inside of programs here; ${UNJUDGED}`,
  'chaos-mesh.org/v1alpha1/KernelChaos': `nodes have no kernel here; ${UNJUDGED}`,
  'chaos-mesh.org/v1alpha1/BlockChaos': `volumes have no blocks here; ${UNJUDGED}`,
  'chaos-mesh.org/v1alpha1/Workflow': `a workflow would go on injecting without anybody; ${BY_ORDEAL}`,
  'chaos-mesh.org/v1alpha1/Schedule': `a schedule would go on injecting without anybody; ${BY_ORDEAL}`,
  'v1/ReplicationController': 'a Deployment or ReplicaSet does its work',
  'v1/PodTemplate': 'nothing makes pods from it',
}

const byPlural = new Map(
  Object.entries(REASONS).map(([key, reason]) => {
    const cut = key.lastIndexOf('/')
    const kind = key.slice(cut + 1).toLowerCase()
    return [`${key.slice(0, cut)}/${kind.endsWith('chaos') ? kind : `${kind}s`}`, reason]
  }),
)

const PATH = /^\/apis?\/(.+?)\/(?:namespaces\/[^/]+\/)?([a-z]+)(?:\/[^/]+)?$/

/** Why there is nothing at a path, or null; a path of a kind in its plural, with a namespace and a name or without. */
function whyNoPath(path: string): string | null {
  const [, apiVersion = '', plural = ''] = PATH.exec(path) ?? []
  return byPlural.get(`${apiVersion}/${plural}`) ?? null
}

/** That the embedded cluster does not have a kind, and why where there is more to say. */
export function noKind(apiVersion: string, kind: string): string {
  const why = REASONS[`${apiVersion}/${kind}`]
  return `${kind} of ${apiVersion} is not modelled by the embedded cluster${why === undefined ? '' : `: ${why}`}`
}

/** The same for a path of the API. */
export function noPath(path: string): string {
  const why = whyNoPath(path) ?? 'the kind is not modelled, or the path is not one of Kubernetes'
  return `the embedded cluster has no ${path}: ${why}`
}
