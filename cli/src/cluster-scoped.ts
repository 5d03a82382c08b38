import { type CycleOptions, InputError } from '@ordeal/shared'
import { type ClusterObject, idOf, type Project } from '@ordeal/kubernetes'

/** An object of the input that would be seen by everybody in the cluster. */
export interface ClusterScoped {
  readonly object: string
  readonly file: string
  readonly line: number
  /** What speaks against making it; null when nothing does. */
  readonly refusal: string | null
}

/**
 * What the input would make in the whole cluster. On an embedded cluster, which nobody else uses, nothing
 * counts; in place nothing is made.
 */
export async function readClusterScoped({ objects }: Project, options: CycleOptions): Promise<ClusterScoped[]> {
  if (options.cluster === 'embedded' || options.inPlace !== null) return []
  const { clusterScopedOf, refusalOf } = await import('@ordeal/experiment')
  const all = objects.map(({ object }) => object as ClusterObject)
  const wide = new Set(clusterScopedOf(all))
  return objects.flatMap(({ object, source: { file, line } }) =>
    wide.has(object as ClusterObject)
      ? [{ object: idOf(object), file, line, refusal: refusalOf(object as ClusterObject, all) }]
      : [],
  )
}

/** Throws InputError for what must not be made, and for what may be made with consent that was not given. */
export function requireConsent(scoped: readonly ClusterScoped[], { allowClusterScoped }: CycleOptions): void {
  const refused = scoped.filter(({ refusal }) => refusal !== null)
  const named = (of: readonly ClusterScoped[]): string =>
    of.map((o) => `\n  ${o.file}:${o.line}: ${o.object}${o.refusal ? `: ${o.refusal}` : ''}`).join('')
  if (refused.length) {
    const remedy = 'Leave them out of the input; what the application needs of them must be in the cluster beforehand'
    throw new InputError(`objects of the whole cluster that Ordeal does not make:${named(refused)}`, null, remedy)
  }
  if (scoped.length === 0 || allowClusterScoped) return
  const remedy = 'They are removed with the cycle. Consent with --allow-cluster-scoped, or leave them out'
  throw new InputError(`these would be made in the whole cluster:${named(scoped)}`, null, remedy)
}
