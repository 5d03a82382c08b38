import { type Cluster, type ObjectRef } from '@ordeal/kubernetes'
import { TerminalError, type PhaseContext } from '@ordeal/shared'
import { journalRef } from './journal.js'
import { endOf, heldBy, leaseNamespace, listPool, type PoolLease } from './pool.js'

/** Where in a cluster a cycle works. */
export interface Place {
  /**
   * `own`: namespaces that it makes and removes. `pool`: namespaces that exist, leased to it. `in-place`: one that exists
   * and holds the application, as somebody else put it there.
   */
  readonly mode: 'own' | 'pool' | 'in-place'
  readonly namespace: string
  readonly proberNamespace: string
  /** On the annotations of which object is written what the place holds, to be found again after a crash. */
  readonly notebook: ObjectRef
  /** The lease by which it is held; null where the place is the cycle's own. */
  readonly lease: PoolLease | null
  /** Throws TerminalError `namespace-lost` when the time is over for which the place was given. */
  readonly assertHeld: () => void
}

type Where = Pick<Cluster, 'objects' | 'home'>

/** The place of a cycle; null when it has none, or has none any more. */
export async function findPlace(
  cluster: Where,
  context: Pick<PhaseContext, 'cycleId'>,
  inPlace: string | null = null,
): Promise<Place | null> {
  if (inPlace !== null) return placeIn(inPlace, context.cycleId)
  const pool = await listPool(cluster)
  if (pool.length === 0) return ownPlace(context.cycleId)
  const lease = heldBy(pool, context.cycleId)
  return lease && poolPlace(lease)
}

/** Gets the cycle a place, if the cluster gives places out. Throws RetryableError `pool-exhausted`. */
export async function takePlace(
  cluster: Where,
  context: Pick<PhaseContext, 'cycleId' | 'progress' | 'assertLease'>,
  forMs: number,
): Promise<void> {
  const pool = await listPool(cluster)
  if (pool.length === 0) return
  context.assertLease()
  await leaseNamespace(cluster, context, { pool, forMs, now: Date.now() })
}

function ownPlace(cycleId: string): Place {
  const namespace = `ordeal-${cycleId}`
  return {
    mode: 'own',
    namespace,
    proberNamespace: `${namespace}-prober`,
    notebook: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    lease: null,
    assertHeld: () => undefined,
  }
}

/** Written down in the journal is also what the place holds: it is there for as long as anything is changed. */
function placeIn(namespace: string, cycleId: string): Place {
  const { proberNamespace, assertHeld } = ownPlace(cycleId)
  return { mode: 'in-place', namespace, proberNamespace, notebook: journalRef(namespace), lease: null, assertHeld }
}

function poolPlace(lease: PoolLease): Place {
  const namespace = lease.metadata.name
  // By the monotonic clock from here on: a wall clock that is set back must not prolong it.
  const until = performance.now() + endOf(lease) - Date.now()
  return {
    mode: 'pool',
    namespace,
    proberNamespace: `${namespace}-prober`,
    notebook: lease,
    lease,
    assertHeld: () => {
      if (performance.now() < until) return
      throw new TerminalError('namespace-lost', `the time is over for which ${namespace} was leased to the cycle`)
    },
  }
}
