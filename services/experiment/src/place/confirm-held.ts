import { TerminalError } from '@ordeal/shared'
import { isOwn, type Sandbox } from '../sandbox/open-sandbox.js'
import { type PoolLease } from './pool.js'

type Held = Pick<Sandbox, 'cluster' | 'context' | 'place' | 'labels'>

/**
 * The last look before a fault: whether the place is still the cycle's, by the cluster's own word. A process that slept
 * through the end of its lease finds another holder, or the same with a later token, and must not touch the pods of what
 * came after it. Throws TerminalError `namespace-lost`.
 */
export async function confirmHeld(sandbox: Held): Promise<void> {
  const { cluster, context, place } = sandbox
  const found = await cluster.objects.get<PoolLease>(place.notebook)
  if (found && isHeld(sandbox, found)) return
  const holder = found?.spec?.holderIdentity
  const now = holder && holder !== context.cycleId ? `it is ${holder}'s` : 'it was given up'
  throw new TerminalError('namespace-lost', `no fault is injected into ${place.namespace} any more: ${now}`)
}

function isHeld({ context, labels, place }: Held, found: PoolLease): boolean {
  if (place.mode !== 'pool') return !found.metadata.deletionTimestamp && isOwn(labels)(found)
  const { holderIdentity, leaseTransitions } = found.spec ?? {}
  return holderIdentity === context.cycleId && leaseTransitions === place.lease?.spec?.leaseTransitions
}
