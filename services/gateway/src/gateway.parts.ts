import { randomUUID } from 'node:crypto'
import { type ServiceDefinition, type StartOptions } from '@ordeal/shared'
import { ProblemFilter } from './api/problem.filter.js'
import { GatewayModule } from './gateway.module.js'
import { gatewayService } from './gateway.service.js'
import { portsOf, type Installation } from './ports.js'
import { keepProgress } from './project-events/keep-progress.js'

/** Largest request: a project of 20 MB of files, as JSON. */
const BODY_LIMIT = 32 * 1024 * 1024

/**
 * What the gateway is started from: `startService(definition, config, { ...options, log })`. Whoever has `adminKey` may
 * make tenants; without one nobody can over HTTP. `modelHosts`: where tenants may have models of their own.
 */
export function gatewayParts({ adminKey = null, modelHosts = [] }: Partial<Installation> = {}): {
  definition: ServiceDefinition<'gateway'>
  options: Omit<StartOptions, 'log'>
} {
  return {
    definition: gatewayService,
    options: {
      imports: (runtime) => [GatewayModule.with(portsOf(runtime, { adminKey, modelHosts }))],
      http: { bodyLimit: BODY_LIMIT, genReqId: () => randomUUID() },
      configure: (app, runtime) => {
        app.useGlobalFilters(app.get(ProblemFilter))
        keepProgress(runtime)
      },
    },
  }
}
