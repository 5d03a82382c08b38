import 'reflect-metadata'
import { type DynamicModule, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { ApiKeyGuard } from './api/api-key.guard.js'
import { ProblemFilter } from './api/problem.filter.js'
import { CancelCycleController } from './cancel-cycle/cancel-cycle.controller.js'
import { DocumentsController } from './documents/documents.controller.js'
import { FollowCycleController } from './follow-cycle/follow-cycle.controller.js'
import { HealthController } from './health.controller.js'
import { type GatewayPorts, PORTS } from './ports.js'
import { ReadCyclesController } from './read-cycles/read-cycles.controller.js'
import { StartCycleController } from './start-cycle/start-cycle.controller.js'

/** Largest request: a project of 20 MB of files, as JSON. */
const BODY_LIMIT = 32 * 1024 * 1024

@Module({})
class GatewayModule {
  static with(ports: GatewayPorts): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        StartCycleController,
        ReadCyclesController,
        CancelCycleController,
        DocumentsController,
        FollowCycleController,
        HealthController,
      ],
      providers: [{ provide: PORTS, useValue: ports }, ApiKeyGuard, ProblemFilter],
    }
  }
}

/** The HTTP interface over its ports; not listening yet. Closing it ends open connections at once. */
export async function createGatewayApp(ports: GatewayPorts): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    genReqId: () => crypto.randomUUID(),
  })
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.with(ports), adapter, {
    logger: false,
    abortOnError: false,
  })
  app.useGlobalFilters(app.get(ProblemFilter))
  return app
}
