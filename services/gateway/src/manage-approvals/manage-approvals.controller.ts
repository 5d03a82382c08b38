import { Body, Controller, Get, Inject, Put, UseGuards } from '@nestjs/common'
import { ApiKeyGuard } from '../api/api-key.guard.js'
import { type ApprovalPolicy, approvalPolicySchema } from '../api/contract.js'
import { Asking, type Principal, requireRole } from '../api/principal.js'
import { parseRequest } from '../api/problems.js'
import { selectApprovalPolicy, setApprovalPolicy } from '../db/approval-policy.sql.js'
import { PORTS, type GatewayPorts } from '../ports.js'

/** What people have to approve in every cycle of a tenant, in the hands of its administrators. */
@Controller('v1/approval-policy')
@UseGuards(ApiKeyGuard)
export class ManageApprovalsController {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  @Get()
  async show(@Asking() { tenantId }: Principal): Promise<ApprovalPolicy> {
    return this.ports.store.withTenant(tenantId, selectApprovalPolicy)
  }

  /** For cycles that are started from now on. */
  @Put()
  async set(@Asking() who: Principal, @Body() body: unknown): Promise<ApprovalPolicy> {
    requireRole(who, 'admin')
    const policy = parseRequest(approvalPolicySchema, body)
    return this.ports.store.withTenant(who.tenantId, async (tx) => {
      await setApprovalPolicy(tx, who.tenantId, policy)
      this.ports.log.info('an approval policy was set', { tenantId: who.tenantId, by: who.keyId, ...policy })
      return selectApprovalPolicy(tx)
    })
  }
}
