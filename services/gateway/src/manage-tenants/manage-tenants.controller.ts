import { Body, Controller, Inject, Post, UseGuards } from '@nestjs/common'
import { hashOfKey, newApiKey } from '../api/api-key.js'
import { createTenantSchema, type NewTenant } from '../api/contract.js'
import { parseRequest, ProblemError } from '../api/problems.js'
import { insertKey } from '../db/api-keys.sql.js'
import { setApprovalPolicy } from '../db/approval-policy.sql.js'
import { setActiveCycles } from '../db/enforce-quota.sql.js'
import { setModelLimits } from '../db/models.sql.js'
import { PORTS, type GatewayPorts } from '../ports.js'
import { AdminKeyGuard } from './admin-key.guard.js'

const FIRST_KEY = 'first'

/** `POST /v1/tenants`: a tenant with its quota and the key of its first administrator, shown this once. */
@Controller('v1/tenants')
@UseGuards(AdminKeyGuard)
export class ManageTenantsController {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  @Post()
  async create(@Body() body: unknown): Promise<NewTenant> {
    const { id, name, activeCycles, models, approvals } = parseRequest(createTenantSchema, body)
    const key = newApiKey()
    await this.ports.store.withTenant(id, async (tx) => {
      const added = await tx.query(
        'insert into shared.tenants (tenant_id, name) values ($1, $2) on conflict do nothing returning 1',
        [id, name ?? id],
      )
      if (added.length === 0) throw new ProblemError('exists', `There is a tenant ${id} already`)
      await insertKey(tx, id, { id: FIRST_KEY, role: 'admin', hash: hashOfKey(key), expiresAt: null })
      if (activeCycles !== null) await setActiveCycles(tx, id, activeCycles)
      await setModelLimits(tx, id, models)
      if (approvals.approve.length > 0) await setApprovalPolicy(tx, id, approvals)
    })
    return { id, name: name ?? id, key: { id: FIRST_KEY, role: 'admin', key, expiresAt: null } }
  }
}
