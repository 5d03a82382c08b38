import { Body, Controller, Headers, HttpCode, Inject, Post, Res, UseGuards } from '@nestjs/common'
import { type FastifyReply } from 'fastify'
import { z } from 'zod'
import { ApiKeyGuard } from '../api/api-key.guard.js'
import { type CycleView, startCycleSchema } from '../api/contract.js'
import { Asking, type Principal } from '../api/principal.js'
import { parseRequest } from '../api/problems.js'
import { PORTS, type GatewayPorts } from '../ports.js'
import { startCycle } from './start-cycle.js'

const idempotencyKey = z.string().min(1).max(255).nullable()

/** `POST /v1/cycles`: 202 with the cycle and its Location. */
@Controller('v1/cycles')
@UseGuards(ApiKeyGuard)
export class StartCycleController {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  @Post()
  @HttpCode(202)
  async start(
    @Asking() who: Principal,
    @Body() body: unknown,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CycleView> {
    const request = parseRequest(startCycleSchema, body)
    const started = await startCycle(this.ports, who, request, parseRequest(idempotencyKey, key ?? null))
    void reply.header('location', `/v1/cycles/${started.cycle.id}`)
    if (started.replayed) void reply.header('idempotent-replayed', 'true')
    return started.cycle
  }
}
