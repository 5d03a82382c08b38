import { createHash } from 'node:crypto'
import {
  type Bundle,
  canonicalJson,
  type CycleKey,
  hashOf,
  newCycleId,
  RECORDED_APPROVALS,
  RECORDINGS,
  type Tx,
} from '@ordeal/shared'
import { addArtefact, putInVault } from '@ordeal/shared/runtime'
import { type CycleView, type StartCycle } from '../api/contract.js'
import { type Principal, requireRole } from '../api/principal.js'
import { ProblemError } from '../api/problems.js'
import { claimIdempotencyKey } from '../db/claim-idempotency-key.sql.js'
import { selectApprovalPolicy } from '../db/approval-policy.sql.js'
import { countActiveCycles } from '../db/enforce-quota.sql.js'
import { insertCycle } from '../db/insert-cycle.sql.js'
import { handOverCluster } from '../manage-clusters/cluster-seal.js'
import { type GatewayPorts } from '../ports.js'
import { requireCycle } from '../read-cycles/require-cycle.js'
import { handOverModel } from '../manage-model/model-seal.js'
import { replayable, underPolicy } from './apply-policy.js'
import { readInput } from './read-input.js'

/** A cycle that was started, or found again by its Idempotency-Key. */
export interface Started {
  readonly cycle: CycleView
  readonly replayed: boolean
}

/**
 * Starts a cycle, in one transaction: its files in the vault, its settings as an artefact, its row, its first event.
 * Throws ProblemError `key-reused` when the key belongs to another request, `forbidden` for a viewer, `quota` when the
 * tenant has as many unfinished cycles as it may.
 */
export async function startCycle(
  ports: GatewayPorts,
  who: Principal,
  request: StartCycle,
  idempotencyKey: string | null,
): Promise<Started> {
  requireRole(who, 'operator')
  const { tenantId } = who
  const input = await readInput(ports, tenantId, request.input)
  const key: CycleKey = { tenantId, cycleId: newCycleId() }
  const started = await ports.store.withTenant(tenantId, async (tx) => {
    const earlier = idempotencyKey === null ? null : await earlierCycle(tx, key, request, idempotencyKey)
    if (earlier) return { cycle: earlier, replayed: true }
    await addCycle(ports, tx, key, { ...request, input })
    const cycle = await requireCycle(tx, key.cycleId)
    await enforceQuota(tx, key)
    return { cycle, replayed: false }
  })
  if (!started.replayed) ports.logOf(key).info('a cycle was accepted', { by: who.keyId, project: request.project })
  return started
}

async function earlierCycle(tx: Tx, key: CycleKey, request: StartCycle, name: string): Promise<CycleView | null> {
  const bodyHash = createHash('sha256').update(canonicalJson(request)).digest()
  const holder = await claimIdempotencyKey(tx, key, name, bodyHash)
  if (!holder) return null
  if (holder.bodyHash.equals(bodyHash)) return requireCycle(tx, holder.cycleId)
  throw new ProblemError('key-reused', `The key belongs to the request that started ${holder.cycleId}`)
}

async function enforceQuota(tx: Tx, { tenantId }: CycleKey): Promise<void> {
  const { active, limit } = await countActiveCycles(tx, tenantId)
  if (active > limit) throw new ProblemError('quota', `${limit} of at most ${limit} cycles have not ended yet`)
}

type Resolved = Omit<StartCycle, 'input'> & { readonly input: Bundle }

async function addCycle(ports: GatewayPorts, tx: Tx, key: CycleKey, request: Resolved): Promise<void> {
  const policy = await selectApprovalPolicy(tx)
  const body = canonicalJson(underPolicy(request.options, policy))
  const options = hashOf(body)
  await putInVault(tx, key, ports.cipher, { name: 'input', body: request.input })
  if (request.recordings) await putInVault(tx, key, ports.cipher, { name: RECORDINGS, body: request.recordings })
  if (request.approvals) {
    const recorded = replayable(request.approvals, policy)
    await putInVault(tx, key, ports.cipher, { name: RECORDED_APPROVALS, body: recorded })
  }
  await handOverModel(tx, ports.cipher, key)
  await handOverCluster(tx, ports.cipher, key, request.options.cluster)
  await addArtefact(tx, key, { id: options, kind: 'options', name: 'options', revision: null, body })
  await insertCycle(tx, key, { project: request.project, optionsId: options })
  const data = { options, deadlineMs: request.options.deadlineMs }
  await ports.emit(tx, key, [{ type: 'cycle.requested', revision: 0, data }])
}
