import { randomBytes } from 'node:crypto'
import { createLogger, type LogLevel } from '@ordeal/shared'
import { version } from '../version.js'
import { type GatewayAddress } from './gateway-client.js'
import { addressIn, atLeastInfo, passOn } from './log-lines.js'
import { startProgram } from './program-process.js'
import { startServers, type Servers } from './start-servers.js'
import { type Stack } from './start-stack.js'
import { startAll, stopAll, type Stoppable } from './together.js'

export interface ProcessesOptions {
  readonly logLevel: LogLevel
  readonly dataDir: string
  /** How many of each service. */
  readonly replicas: number
  /** What the services are told besides where their servers are. */
  readonly environment: Readonly<Record<string, string>>
  /** Where log lines go. */
  readonly write: (text: string) => void
}

const TENANT = 'local'
const SERVICES = ['gateway', 'hypothesis', 'experiment', 'analysis', 'improvement'] as const

/** What draining may take, and a moment for closing, before a service is killed. */
const DRAIN_SECONDS = 10
const GRACE_SECONDS = DRAIN_SECONDS + 3

interface Running extends Stoppable {
  readonly ready: string
}

/**
 * Everything as it is deployed: each service, in any number of replicas, and the embedded clusters' server are
 * processes of their own, which know of each other only by their environment. Each gateway has its own port; the first
 * one is the front. Rejects with everything stopped again when a part does not come up.
 */
export async function startProcesses(options: ProcessesOptions): Promise<Stack> {
  const log = createLogger('ordeal', options.logLevel).scope({ version })
  const servers = await startServers({ dataDir: options.dataDir, log, startEmbedded: () => startEmbedded(options) })
  try {
    const services = await startServices(options, servers)
    return { address: services.address, stop: () => services.stop().finally(() => servers.stop()) }
  } catch (error) {
    await servers.stop()
    throw error
  }
}

async function startEmbedded({ environment, write }: ProcessesOptions): Promise<Stoppable & { url: string }> {
  const url = (line: string): string | null => (line.startsWith('http://') ? line : null)
  const kept = await startProgram({
    name: 'embedded-cluster',
    packageName: '@ordeal/embedded-cluster',
    environment: { ...environment, HOST: '127.0.0.1' },
    url,
    onLine: (line) => {
      if (url(line) === null) write(`${line}\n`)
    },
    tell: (message) => write(`${message}\n`),
    graceSeconds: GRACE_SECONDS,
  })
  return { url: kept.ready, stop: () => kept.stop() }
}

async function startServices(
  options: ProcessesOptions,
  servers: Servers,
): Promise<Stoppable & { address: GatewayAddress }> {
  const apiKey = `ordeal_${randomBytes(32).toString('base64url')}`
  const environment = {
    ...options.environment,
    DATABASE_URL: servers.databaseUrl,
    PLUMBING_DATABASE_URL: servers.plumbingDatabaseUrl,
    NATS_URL: servers.natsUrl,
    EMBEDDED_CLUSTER_URL: servers.embeddedUrl,
    ORDEAL_VAULT_KEY: servers.vaultKey,
    ORDEAL_TENANT: TENANT,
    ORDEAL_API_KEY: apiKey,
    HOST: '127.0.0.1',
    LOG_LEVEL: atLeastInfo(options.logLevel),
    DRAIN_TIMEOUT: `${DRAIN_SECONDS}s`,
  }
  // An error asks for somebody to act, whatever else is not to be seen.
  const onLine = passOn(options.logLevel === 'silent' ? 'error' : options.logLevel, options.write)
  const replicas = Array.from({ length: options.replicas }, (_, index) => index + 1)
  const programs = SERVICES.flatMap((service) =>
    replicas.map((number) => ({
      name: replicas.length > 1 ? `${service} ${number}` : service,
      packageName: `@ordeal/${service}`,
      environment,
      url: addressIn,
      onLine,
      tell: (message: string) => options.write(`${message}\n`),
      graceSeconds: GRACE_SECONDS,
    })),
  )
  const running = await startAll<Running[]>(programs.map((program) => startProgram(program)))
  const [front] = running as [Running, ...Running[]]
  return { address: { url: front.ready, apiKey }, stop: () => stopAll(running) }
}
