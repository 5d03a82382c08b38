import { type DynamicModule, Module } from '@nestjs/common'
import { ApiKeyGuard } from './api/api-key.guard.js'
import { ProblemFilter } from './api/problem.filter.js'
import { ApproveProposalController } from './approve-proposal/approve-proposal.controller.js'
import { CancelCycleController } from './cancel-cycle/cancel-cycle.controller.js'
import { DocumentsController } from './documents/documents.controller.js'
import { DescribeApiController } from './describe-api/describe-api.controller.js'
import { FollowCycleController } from './follow-cycle/follow-cycle.controller.js'
import { ManageApprovalsController } from './manage-approvals/manage-approvals.controller.js'
import { ManageClustersController } from './manage-clusters/manage-clusters.controller.js'
import { ManageModelController } from './manage-model/manage-model.controller.js'
import { ManageKeysController } from './manage-keys/manage-keys.controller.js'
import { AdminKeyGuard } from './manage-tenants/admin-key.guard.js'
import { ManageTenantsController } from './manage-tenants/manage-tenants.controller.js'
import { type GatewayPorts, PORTS } from './ports.js'
import { ReadCyclesController } from './read-cycles/read-cycles.controller.js'
import { StartCycleController } from './start-cycle/start-cycle.controller.js'

/** The HTTP interface over its ports. */
@Module({})
export class GatewayModule {
  static with(ports: GatewayPorts): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        StartCycleController,
        ReadCyclesController,
        CancelCycleController,
        ApproveProposalController,
        DocumentsController,
        FollowCycleController,
        ManageKeysController,
        ManageClustersController,
        ManageModelController,
        ManageApprovalsController,
        ManageTenantsController,
        DescribeApiController,
      ],
      providers: [{ provide: PORTS, useValue: ports }, ApiKeyGuard, AdminKeyGuard, ProblemFilter],
    }
  }
}
