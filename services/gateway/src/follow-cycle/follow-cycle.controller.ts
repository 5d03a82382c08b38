import { Readable } from 'node:stream'
import { Controller, Get, Headers, Inject, Param, Res, UseGuards } from '@nestjs/common'
import { type FastifyReply } from 'fastify'
import { z } from 'zod'
import { ApiKeyGuard } from '../api/api-key.guard.js'
import { Asking, type Principal } from '../api/principal.js'
import { parseRequest } from '../api/problems.js'
import { selectLog } from '../db/select-cycles.sql.js'
import { PORTS, type GatewayPorts } from '../ports.js'
import { requireCycle } from '../read-cycles/require-cycle.js'
import { Slots } from '@ordeal/shared/runtime'
import { cycleEvents, type EventLog } from './cycle-events.js'
import { type Watch } from './wake-ups.js'

const lastEventId = z.coerce.number().int().nonnegative().default(0)

/** A cycle's events as they happen: server-sent, resumable, ending with the cycle. */
@Controller('v1/cycles/:id/events')
@UseGuards(ApiKeyGuard)
export class FollowCycleController {
  private readonly readers: Slots

  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {
    // Hundreds of streams wake at once when much happens; they leave connections for those who want to act.
    this.readers = new Slots(ports.streamReaders)
  }

  @Get()
  async follow(
    @Asking() who: Principal,
    @Param('id') id: string,
    @Headers('last-event-id') last: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const after = parseRequest(lastEventId, last || undefined)
    await this.ports.store.withTenant(who.tenantId, (tx) => requireCycle(tx, id))
    const gone = new AbortController()
    const watch = this.ports.wakeUps.watch(id)
    reply.raw.once('close', () => {
      gone.abort()
      watch.close()
    })
    const signal = AbortSignal.any([gone.signal, this.ports.stopping])
    const stream = Readable.from(cycleEvents(this.logOf(who, id, watch), after, signal))
    await reply
      .headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      .send(stream)
  }

  private logOf({ tenantId }: Principal, id: string, watch: Watch): EventLog {
    return {
      read: (after, limit) =>
        this.readers.run(() => this.ports.store.withTenant(tenantId, (tx) => selectLog(tx, id, after, limit))),
      wait: (ms, signal) => watch.wait(ms, signal),
    }
  }
}
