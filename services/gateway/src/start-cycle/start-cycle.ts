import { createHash } from 'node:crypto'
import { canonicalJson, type CycleKey, hashOf, newCycleId, type Tx } from '@ordeal/shared'
import { addArtefact, putInVault } from '@ordeal/shared/runtime'
import { type CycleView, type StartCycle } from '../api/contract.js'
import { type Principal } from '../api/principal.js'
import { ProblemError } from '../api/problems.js'
import { claimIdempotencyKey } from '../db/claim-idempotency-key.sql.js'
import { insertCycle } from '../db/insert-cycle.sql.js'
import { type GatewayPorts } from '../ports.js'
import { requireCycle } from '../read-cycles/require-cycle.js'

/** A cycle that was started, or found again by its Idempotency-Key. */
export interface Started {
  readonly cycle: CycleView
  readonly replayed: boolean
}

/**
 * Starts a cycle, in one transaction: its files in the vault, its settings as an artefact, its row, its first event.
 * Throws ProblemError `key-reused` when the key belongs to another request, `forbidden` for a viewer.
 */
export async function startCycle(
  ports: GatewayPorts,
  { tenantId, role }: Principal,
  request: StartCycle,
  idempotencyKey: string | null,
): Promise<Started> {
  if (role === 'viewer') throw new ProblemError('forbidden', 'A viewer may not start cycles')
  const key: CycleKey = { tenantId, cycleId: newCycleId() }
  return ports.store.withTenant(tenantId, async (tx) => {
    const earlier = idempotencyKey === null ? null : await earlierCycle(tx, key, request, idempotencyKey)
    if (earlier) return { cycle: earlier, replayed: true }
    await addCycle(ports, tx, key, request)
    return { cycle: await requireCycle(tx, key.cycleId), replayed: false }
  })
}

async function earlierCycle(tx: Tx, key: CycleKey, request: StartCycle, name: string): Promise<CycleView | null> {
  const bodyHash = createHash('sha256').update(canonicalJson(request)).digest()
  const holder = await claimIdempotencyKey(tx, key, name, bodyHash)
  if (!holder) return null
  if (holder.bodyHash.equals(bodyHash)) return requireCycle(tx, holder.cycleId)
  throw new ProblemError('key-reused', `The key belongs to the request that started ${holder.cycleId}`)
}

async function addCycle(ports: GatewayPorts, tx: Tx, key: CycleKey, request: StartCycle): Promise<void> {
  const body = canonicalJson(request.options)
  const options = hashOf(body)
  await putInVault(tx, key, ports.cipher, { name: 'input', body: request.input })
  await addArtefact(tx, key, { id: options, kind: 'options', name: 'options', revision: null, body })
  await insertCycle(tx, key, { project: request.project, optionsId: options })
  const data = { options, deadlineMs: request.options.deadlineMs }
  await ports.emit(tx, key, [{ type: 'cycle.requested', revision: 0, data }])
}
