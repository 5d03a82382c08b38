import {
  connectCluster,
  isSystemNamespace,
  type Cluster,
  type ClusterObject,
  type ClusterTarget,
  type Objects,
} from '@ordeal/kubernetes'
import { PROBER_IMAGE } from '@ordeal/prober'
import {
  coerceError,
  cycleOptionsSchema,
  longestMs,
  expectationsSchema,
  required,
  TerminalError,
  vaultedClusterSchema,
  type ClusterCredential,
  type CycleOptions,
  type PhaseContext,
} from '@ordeal/shared'
import { type ExperimentSettings } from '../settings.js'
import { refuseInPlace } from '../place/refuse-in-place.js'
import { findPlace, takePlace, type Place } from '../place/place.js'
import { type Widening } from './cluster-scoped.js'
import { guardWrites } from './guard-writes.js'

/** A cycle's place in its cluster, at the hands of one phase. */
export interface Sandbox {
  readonly context: PhaseContext
  /** Every write through it checks the lease first. */
  readonly cluster: Cluster
  /** Writes that must be possible when the phase is aborted already: to take back a fault, and for nothing else. */
  readonly undo: Objects
  /** How the cycle came by its namespaces, and until when. */
  readonly place: Place
  /** Where the application lives: the only namespace whose pods a fault may touch. */
  readonly namespace: string
  /** Where the prober lives, outside the reach of every fault. */
  readonly proberNamespace: string
  readonly proberImage: string
  /** How long the cycle may take. */
  readonly cycleMs: number
  readonly widening: Widening
  /** How long the application may take to become ready: for images to be pulled and slow starters to start. */
  readonly readyMs: number
  /** On everything that Ordeal itself makes. */
  readonly labels: Record<string, string>
  /** Notes, in sentences for people, what was taken for granted to bring the application into the sandbox. */
  readonly assume: (assumptions: readonly string[]) => void
  /** What was taken for granted until now, by the cluster too. */
  readonly assumptions: () => Promise<readonly string[]>
  /** API path of the application's pods, to watch. */
  readonly podsPath: string
}

const READY_MS = 180_000
/** On everything of a cycle, whoever made it. */
export const CYCLE_LABEL = 'ordeal.dev/cycle'
/** Whose an object or a namespace is, for people who find it. */
export const OWNER = 'ordeal.dev/owner'

const cycleLabels = (cycle: string): Record<string, string> => ({
  'app.kubernetes.io/managed-by': 'ordeal',
  [CYCLE_LABEL]: cycle,
})

/** True for an object that an earlier attempt of the same cycle made. */
export const isOwn =
  (labels: Record<string, string>) =>
  (found: ClusterObject): boolean =>
    found.metadata.labels?.[CYCLE_LABEL] === labels[CYCLE_LABEL]

const optionsOf = async (context: PhaseContext): Promise<CycleOptions> =>
  required(await context.artefacts.latest('options', cycleOptionsSchema), 'options')

/** The cluster that the user chose for the cycle. */
export async function clusterOf(context: PhaseContext, settings: ExperimentSettings): Promise<ClusterTarget> {
  const { cluster, seed } = await optionsOf(context)
  if (cluster !== 'embedded') {
    const credential = await registeredCluster(context)
    if (credential) return { kind: 'kubernetes', name: cluster, credential }
    return { kind: 'kubernetes', context: cluster, kubeconfig: settings.kubeconfig ?? undefined }
  }
  if (settings.embeddedUrl === null) {
    throw new TerminalError('no-embedded-cluster', 'This service has no embedded clusters. Set EMBEDDED_CLUSTER_URL')
  }
  const expectations = await context.artefacts.latest('expectations', expectationsSchema)
  return {
    kind: 'embedded',
    serverUrl: settings.embeddedUrl,
    id: context.cycleId,
    seed,
    images: expectations?.images,
  }
}

/** What opens the cycle's cluster, where that was registered with the gateway; null where it is a context. */
async function registeredCluster({ vault }: PhaseContext): Promise<ClusterCredential | null> {
  try {
    return (await vault.get('cluster', vaultedClusterSchema)).credential
  } catch (error) {
    if (error instanceof TerminalError && error.code === 'vault-missing') return null
    throw coerceError(error)
  }
}

/** Nobody needs the way into the cluster when the cycle is over. */
export async function forgetCluster(context: PhaseContext): Promise<void> {
  if (await registeredCluster(context)) await context.vault.put('cluster', { credential: null })
}

/**
 * Gets the cycle a place where its cluster gives places out. Throws RetryableError `pool-exhausted`, TerminalError
 * `in-place-refused`.
 */
export async function takeSandbox(context: PhaseContext, settings: ExperimentSettings): Promise<void> {
  const options = await optionsOf(context)
  const refusal = refuseInPlace(options, isSystemNamespace)
  if (refusal !== null) throw new TerminalError('in-place-refused', `the cycle cannot work in place: ${refusal}`)
  if (options.inPlace !== null) return
  await takePlace(await connectCluster(await clusterOf(context, settings)), context, longestMs(options))
}

/**
 * Reaches the cycle's place in its cluster. Throws ClusterLostError when the cluster is gone: what was in it went with it;
 * TerminalError `namespace-lost` when the place is not the cycle's any more.
 */
export async function openSandbox(context: PhaseContext, settings: ExperimentSettings): Promise<Sandbox> {
  const sandbox = await findSandbox(context, settings)
  if (sandbox) return sandbox
  throw new TerminalError('namespace-lost', 'no namespace of the pool is leased to the cycle any more')
}

/** As `openSandbox`; null where the cycle has no place in its cluster, or has none any more. */
export async function findSandbox(context: PhaseContext, settings: ExperimentSettings): Promise<Sandbox | null> {
  const reached = await connectCluster(await clusterOf(context, settings))
  const place = await findPlace(reached, context, (await optionsOf(context)).inPlace)
  return place && sandboxAt(place, { context, settings, reached })
}

interface Reached {
  readonly context: PhaseContext
  readonly settings: ExperimentSettings
  readonly reached: Cluster
}

async function sandboxAt(place: Place, { context, settings, reached }: Reached): Promise<Sandbox> {
  const mayWrite = (): void => {
    context.assertLease()
    place.assertHeld()
  }
  const cluster = { ...reached, objects: guardWrites(reached.objects, mayWrite) }
  const { namespace, proberNamespace } = place
  const assumed = new Set<string>()
  const options = await optionsOf(context)
  const { proberImage, allowClusterScoped } = options
  return {
    context,
    cluster,
    undo: reached.objects,
    place,
    namespace,
    proberNamespace,
    readyMs: settings.readyMs ?? READY_MS,
    proberImage: proberImage ?? PROBER_IMAGE,
    cycleMs: longestMs(options),
    widening: cluster.kind === 'embedded' ? 'free' : allowClusterScoped ? 'consented' : 'refused',
    labels: cycleLabels(context.cycleId),
    assume: (assumptions) => assumptions.forEach((assumption) => assumed.add(assumption)),
    assumptions: async () => [...(await cluster.assumptions()), ...assumed],
    podsPath: await cluster.objects.path({ apiVersion: 'v1', kind: 'Pod', namespace }),
  }
}
