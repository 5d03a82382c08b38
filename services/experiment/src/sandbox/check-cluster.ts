import { chaosManifest, RefusedError, type ClusterObject } from '@ordeal/kubernetes'
import { TerminalError } from '@ordeal/shared'
import { POOL_LABEL } from '../place/pool.js'
import { needsOf } from './needs.js'
import { isOwn, type Sandbox } from './open-sandbox.js'

/**
 * Throws TerminalError `cluster-unfit` with every reason why the cycle must not be begun on this cluster, `not-settled` when
 * it cannot be now; tells what is no such reason, but should be known.
 */
export async function checkCluster(sandbox: Sandbox, objects: readonly ClusterObject[]): Promise<void> {
  const { cluster, context, labels, namespace, place, proberNamespace } = sandbox
  const {
    refusals,
    hindrances = [],
    warnings,
  } = await cluster.preflight({
    namespaces: [
      { name: namespace, owned: MAY_BE_USED[place.mode](labels) },
      { name: proberNamespace, owned: place.mode === 'pool' ? isOfPool : isOwn(labels) },
    ],
    needs: needsOf(sandbox, objects),
  })
  for (const message of warnings) context.progress({ kind: 'note', message })
  if (refusals.length) throw unfit(refusals)
  if (hindrances.length) throw new TerminalError('not-settled', `no application comes up now: ${hindrances.join('; ')}`)
}

/** Whether the namespace of the application may be used as it is found. */
const MAY_BE_USED = { own: isOwn, pool: () => isOfPool, 'in-place': () => () => true } as const

const isOfPool = ({ metadata }: ClusterObject): boolean => metadata.labels?.[POOL_LABEL] !== undefined

/** A rehearsed fault passes through the webhooks of Chaos Mesh. Throws TerminalError `not-injected`: none would be. */
export async function checkChaosMesh({ cluster, labels, namespace }: Sandbox): Promise<void> {
  const rehearsal = chaosManifest(
    {
      id: 'rehearsal',
      kind: 'PodChaos',
      action: 'pod-failure',
      target: { component: 'Pod/nobody', selector: { 'ordeal.dev/rehearsal': 'nobody' }, mode: 'one', count: null },
      durationMs: 1000,
      parameters: {},
    },
    { name: 'rehearsal', namespace, labels },
  )
  try {
    await cluster.objects.create(rehearsal, { dryRun: true })
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    const remedy = 'See that its controller runs, and that its webhooks are served and trusted'
    throw new TerminalError('not-injected', `Chaos Mesh does not take faults: ${error.message}. ${remedy}`, {
      cause: error,
    })
  }
}

const unfit = (reasons: readonly string[]): TerminalError =>
  new TerminalError('cluster-unfit', `the cluster cannot be used: ${reasons.join('; ')}`, { details: { reasons } })
