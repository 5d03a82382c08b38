import { isRefused, isSystemNamespace, type Cluster, type ClusterObject } from '@ordeal/kubernetes'
import { RetryableError, type PhaseContext } from '@ordeal/shared'

/**
 * A pool of namespaces that exist beforehand. Each is a Lease in the home of the account that may use them, and stands for
 * the namespace of its name and for `<name>-prober`. The API server decides who gets one: a write that was made of an
 * older version is refused, so two cycles never hold the same, whichever installation they come from.
 */
export interface PoolLease extends ClusterObject {
  readonly spec?: {
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly renewTime?: string
    readonly leaseTransitions?: number
  }
}

/** On whatever belongs to the pool itself: its leases and namespaces, and the rights in them. */
export const POOL_LABEL = 'ordeal.dev/pool'
/** Which revision a place holds is written down, so that a roll-out can go on after a crash. */
export const REVISION = 'ordeal.dev/revision'
/** Kinds besides the usual ones that were put into a place, for whoever has to empty it. */
export const KINDS = 'ordeal.dev/kinds'
/** Why nothing may be done in a sandbox any more, for people who find it. */
export const QUARANTINE = 'ordeal.dev/quarantined'

const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }
/** How often a cycle asks again for a namespace (ten times at most, as any phase that is tried again). */
const ASK_AGAIN_MS = 30_000
/** Clean-up and clocks that differ come on top of what a cycle may take. */
const MARGIN_MS = 20 * 60_000

/** The pool that the account is at home with; empty where it has none. */
export async function listPool({ objects, home }: Pick<Cluster, 'objects' | 'home'>): Promise<PoolLease[]> {
  if (home === null) return []
  try {
    const leases = await objects.list<PoolLease>({ ...LEASE, namespace: home, labels: { [POOL_LABEL]: 'namespace' } })
    return leases.filter((lease) => !isSystemNamespace(lease.metadata.name))
  } catch (error) {
    if (isRefused(error, 403, 404)) return []
    throw error
  }
}

/** The lease that the cycle holds; null when it holds none. */
export const heldBy = (pool: readonly PoolLease[], cycle: string): PoolLease | null =>
  pool.find((lease) => lease.spec?.holderIdentity === cycle) ?? null

/** When a lease runs out, in ms since the epoch. */
export const endOf = ({ spec = {} }: PoolLease): number =>
  (Date.parse(spec.renewTime ?? '') || 0) + (spec.leaseDurationSeconds ?? 0) * 1000

const isFree = (lease: PoolLease, now: number): boolean =>
  lease.metadata.annotations?.[QUARANTINE] === undefined && (!lease.spec?.holderIdentity || endOf(lease) < now)

/**
 * Takes a namespace of the pool for the cycle, or finds the one that it has. It is held for `forMs` and a margin, longer
 * than the cycle can live, so what runs out was given up by the death of its holder. Throws RetryableError
 * `pool-exhausted` when none is free; the reason names who has them.
 */
export async function leaseNamespace(
  { objects }: Pick<Cluster, 'objects'>,
  context: Pick<PhaseContext, 'cycleId' | 'progress'>,
  { pool, forMs, now }: { readonly pool: readonly PoolLease[]; readonly forMs: number; readonly now: number },
): Promise<PoolLease> {
  const held = heldBy(pool, context.cycleId)
  if (held) return held
  for (const lease of pool.filter((each) => isFree(each, now))) {
    const taken = await take(objects, lease, { cycle: context.cycleId, forMs, now })
    if (!taken) continue
    const before = lease.spec?.holderIdentity
    const message = `namespace ${lease.metadata.name} of the pool${before ? `, left behind by ${before},` : ''} is ours`
    context.progress({ kind: 'note', message })
    return taken
  }
  const message = exhausted(pool)
  context.progress({ kind: 'note', message: `waiting for a namespace: ${message}` })
  throw new RetryableError('pool-exhausted', message, { retryAfterMs: ASK_AGAIN_MS })
}

async function take(
  objects: Cluster['objects'],
  lease: PoolLease,
  { cycle, forMs, now }: { readonly cycle: string; readonly forMs: number; readonly now: number },
): Promise<PoolLease | null> {
  const { resourceVersion } = lease.metadata
  const time = microTime(now)
  const spec = {
    holderIdentity: cycle,
    acquireTime: time,
    renewTime: time,
    leaseDurationSeconds: Math.ceil((forMs + MARGIN_MS) / 1000),
    leaseTransitions: (lease.spec?.leaseTransitions ?? 0) + 1,
  }
  try {
    const annotations = { [REVISION]: null }
    return await objects.patch<PoolLease>(lease, { metadata: { resourceVersion, annotations }, spec })
  } catch (error) {
    // Somebody else was faster.
    if (isRefused(error, 409)) return null
    throw error
  }
}

/** Gives back what the cycle holds, which must be empty; does nothing when it holds nothing. */
export async function releaseNamespace(cluster: Pick<Cluster, 'objects' | 'home'>, cycle: string): Promise<void> {
  const lease = heldBy(await listPool(cluster), cycle)
  if (!lease) return
  const notes = Object.keys(lease.metadata.annotations ?? {}).filter((name) => name.startsWith('ordeal.dev/'))
  const annotations = Object.fromEntries(notes.map((name) => [name, null]))
  const { resourceVersion } = lease.metadata
  const patch = { metadata: { resourceVersion, annotations }, spec: { holderIdentity: null } }
  await cluster.objects.patch(lease, patch)
}

function exhausted(pool: readonly PoolLease[]): string {
  const states = pool.map((lease) => {
    const { name, annotations } = lease.metadata
    if (annotations?.[QUARANTINE] !== undefined) return `${name} is quarantined (${annotations[QUARANTINE]})`
    return `${name} is held by ${lease.spec?.holderIdentity} until ${new Date(endOf(lease)).toISOString()} at the latest`
  })
  return `no namespace of the pool is free: ${states.join('; ')}`
}

/** As Kubernetes wants the times of a lease: with microseconds. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z')
