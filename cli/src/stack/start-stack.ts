import { createLogger, type Environment, type LogLevel, tenantId } from '@ordeal/shared'
import { version } from '../version.js'
import { type GatewayAddress } from './gateway-client.js'
import { startServers } from './start-servers.js'

/** Everything that cycles need, running in this process and in the servers that it watches over. */
export interface Stack {
  readonly address: GatewayAddress
  /** Ends it all, servers and their temporary data too. Safe to call again. */
  stop(): Promise<void>
}

export interface StackOptions {
  readonly logLevel: LogLevel
  /** Where databases stay between starts; null for working data that go with the stack. */
  readonly dataDir: string | null
  /** For the model's endpoint. */
  readonly environment: Environment
}

/** Whose cycles run on this machine. */
const TENANT = tenantId.parse('local')

/**
 * Starts Postgres, NATS, the embedded clusters' server and the five services. Rejects with everything stopped again
 * when a part does not come up.
 */
export async function startStack({ logLevel, dataDir, environment }: StackOptions): Promise<Stack> {
  const log = createLogger('ordeal', logLevel).scope({ version })
  // Loading the services takes as long as starting the servers, so both go on at once.
  const loading = import('./start-services.js')
  const servers = await startServers({ dataDir, log })
  try {
    const { startServices } = await loading
    const services = await startServices({ servers, log, logLevel, tenantId: TENANT, environment })
    return { address: services.address, stop: () => services.stop().finally(() => servers.stop()) }
  } catch (error) {
    await servers.stop()
    throw error
  }
}
