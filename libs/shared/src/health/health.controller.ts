import { Controller, Get, Header, Inject, ServiceUnavailableException } from '@nestjs/common'
import { SERVICE_RUNTIME, type ServiceRuntime } from '../service/runtime.js'

/** Liveness is the event loop alone; readiness is that Postgres and JetStream answer and the service is not stopping. */
@Controller()
export class HealthController {
  constructor(@Inject(SERVICE_RUNTIME) private readonly runtime: ServiceRuntime) {}

  @Get('livez')
  live(): { status: string; service: string } {
    return { status: 'ok', service: this.runtime.name }
  }

  @Get('readyz')
  async ready(): Promise<{ status: string; service: string }> {
    const { name, lifecycle } = this.runtime
    if (await this.runtime.ready()) return { status: 'ok', service: name }
    const status = lifecycle.state === 'RUNNING' ? 'Postgres or NATS does not answer' : lifecycle.state
    throw new ServiceUnavailableException({ status, service: name })
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  metrics(): Promise<string> {
    return this.runtime.metrics.text()
  }
}
