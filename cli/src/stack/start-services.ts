import { createModels, parseModelConfig } from '@ordeal/agents'
import { gatewayParts, newApiKey, provisionTenant, readInstallation } from '@ordeal/gateway'
import { analysisService } from '@ordeal/analysis'
import { experimentService } from '@ordeal/experiment'
import { hypothesisService } from '@ordeal/hypothesis'
import { improvementService } from '@ordeal/improvement'
import {
  type Environment,
  type Logger,
  type LogLevel,
  parseServiceConfig,
  type RunningService,
  type ServiceDefinition,
  type ServiceName,
  type TenantId,
} from '@ordeal/shared'
import { startService } from '@ordeal/shared/runtime'
import { type GatewayAddress } from './gateway-client.js'
import { type Servers } from './start-servers.js'
import { startAll, stopAll, type Stoppable } from './together.js'

export interface ServicesOptions {
  readonly servers: Servers
  readonly log: Logger
  readonly logLevel: LogLevel
  readonly tenantId: TenantId
  /** For the model's endpoint, and for what the gateway allows. */
  readonly environment: Environment
}

/** The five services in this process. They talk over NATS all the same, as they do apart. */
export async function startServices(options: ServicesOptions): Promise<Stoppable & { address: GatewayAddress }> {
  const { servers, log, logLevel } = options
  const config = parseServiceConfig({
    DATABASE_URL: servers.databaseUrl,
    PLUMBING_DATABASE_URL: servers.plumbingDatabaseUrl,
    NATS_URL: servers.natsUrl,
    ORDEAL_VAULT_KEY: servers.vaultKey,
    EMBEDDED_CLUSTER_URL: servers.embeddedUrl,
    LOG_LEVEL: logLevel,
    // Whoever waits at a terminal does not wait longer; what is unfinished ends with the process.
    DRAIN_TIMEOUT: '5s',
  })
  const start = <S extends ServiceName>(definition: ServiceDefinition<S>): Promise<RunningService> =>
    startService(definition, config, { log })
  const gateway = gatewayParts(readInstallation(options.environment))
  const models = createModels(parseModelConfig(options.environment), log)
  const running = await startAll<RunningService[]>([
    startService(gateway.definition, config, { ...gateway.options, log }),
    start(hypothesisService(models)),
    start(experimentService({ embeddedUrl: servers.embeddedUrl, kubeconfig: null })),
    start(analysisService(models)),
    start(improvementService(models)),
  ])
  const stop = (): Promise<void> => stopAll(running)
  try {
    return { address: await letIn(running[0] as RunningService, options.tenantId), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function letIn({ url, runtime }: RunningService, tenantId: TenantId): Promise<GatewayAddress> {
  const apiKey = newApiKey()
  await provisionTenant(runtime.store, tenantId, { id: 'command-line', apiKey })
  return { url, apiKey }
}
