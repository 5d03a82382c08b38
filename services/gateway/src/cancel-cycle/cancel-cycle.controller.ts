import { Controller, HttpCode, Inject, Param, Post, UseGuards } from '@nestjs/common'
import { cycleId } from '@ordeal/shared'
import { ApiKeyGuard } from '../api/api-key.guard.js'
import { type CycleView } from '../api/contract.js'
import { Asking, type Principal } from '../api/principal.js'
import { markCancelling } from '../db/mark-cancelling.sql.js'
import { PORTS, type GatewayPorts } from '../ports.js'
import { requireCycle } from '../read-cycles/require-cycle.js'

/** `POST /v1/cycles/:id/cancel`: open to every role; asking again, or after the end, changes nothing. */
@Controller('v1/cycles/:id/cancel')
@UseGuards(ApiKeyGuard)
export class CancelCycleController {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  @Post()
  @HttpCode(202)
  async cancel(@Asking() { tenantId, keyId }: Principal, @Param('id') id: string): Promise<CycleView> {
    return this.ports.store.withTenant(tenantId, async (tx) => {
      await requireCycle(tx, id)
      const key = { tenantId, cycleId: cycleId.parse(id) }
      if (await markCancelling(tx, key)) {
        await this.ports.emit(tx, key, [{ type: 'cycle.cancel-requested', revision: 0, data: { by: keyId } }])
        this.ports.logOf(key).info('a cycle is to be cancelled', { by: keyId })
      }
      return requireCycle(tx, id)
    })
  }
}
