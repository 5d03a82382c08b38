import { Body, Controller, Get, HttpCode, Inject, Param, Post, UseGuards } from '@nestjs/common'
import { ApiKeyGuard } from '../api/api-key.guard.js'
import { answerProposalSchema, type ApprovalList, type ApprovalView } from '../api/contract.js'
import { Asking, type Principal, requireRole } from '../api/principal.js'
import { parseRequest } from '../api/problems.js'
import { selectApprovals } from '../db/select-approvals.sql.js'
import { PORTS, type GatewayPorts } from '../ports.js'
import { requireCycle } from '../read-cycles/require-cycle.js'
import { answerProposal } from './answer-proposal.js'

/** What people are asked in a cycle, and their answers. */
@Controller('v1/cycles/:id/approvals')
@UseGuards(ApiKeyGuard)
export class ApproveProposalController {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  @Get()
  async list(@Asking() { tenantId }: Principal, @Param('id') id: string): Promise<ApprovalList> {
    return this.ports.store.withTenant(tenantId, async (tx) => {
      await requireCycle(tx, id)
      return { approvals: await selectApprovals(tx, id) }
    })
  }

  /** The same answer again is fine, whoever gives it. */
  @Post(':proposal')
  @HttpCode(200)
  async answer(
    @Asking() who: Principal,
    @Param('id') id: string,
    @Param('proposal') proposal: string,
    @Body() body: unknown,
  ): Promise<ApprovalView> {
    requireRole(who, 'operator')
    return answerProposal(this.ports, who, { id, proposal }, parseRequest(answerProposalSchema, body))
  }
}
