import { type Bundle, bundleSchema, type CycleId, TerminalError, type TenantId } from '@ordeal/shared'
import { createPostgresVault } from '@ordeal/shared/runtime'
import { type StartCycle } from '../api/contract.js'
import { ProblemError } from '../api/problems.js'
import { type GatewayPorts } from '../ports.js'

/** The files of a request: those that it brought, or those of the earlier cycle that it names. */
export async function readInput(
  ports: GatewayPorts,
  tenantId: TenantId,
  { files, cycle }: StartCycle['input'],
): Promise<Bundle> {
  return cycle === undefined ? { files: files ?? [] } : filesOf(ports, tenantId, cycle)
}

async function filesOf({ store, cipher }: GatewayPorts, tenantId: TenantId, cycleId: CycleId): Promise<Bundle> {
  try {
    return await createPostgresVault(store, { tenantId, cycleId }, cipher).get('input', bundleSchema)
  } catch (error) {
    if (!(error instanceof TerminalError) || error.code !== 'vault-missing') throw error
    const detail = `there is no cycle ${cycleId}`
    throw new ProblemError('input-invalid', `/input/cycle: ${detail}`, [{ pointer: '/input/cycle', detail }])
  }
}
