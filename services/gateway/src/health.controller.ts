import { Controller, Get, Inject } from '@nestjs/common'
import { ProblemError } from './api/problems.js'
import { PORTS, type GatewayPorts } from './ports.js'

/** Liveness is the event loop alone; readiness is that cycles can be taken. */
@Controller()
export class HealthController {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  @Get('livez')
  live(): { status: string } {
    return { status: 'ok' }
  }

  @Get('readyz')
  async ready(): Promise<{ status: string }> {
    if (await this.ports.ready()) return { status: 'ok' }
    throw new ProblemError('unavailable', 'Postgres or NATS does not answer, or the process is stopping')
  }
}
