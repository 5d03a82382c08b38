import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { keepRunning, type KeptProcess } from '@ordeal/local-servers'
import { startServers, type Servers } from './servers.js'

export const SERVICES = ['gateway', 'hypothesis', 'experiment', 'analysis', 'improvement'] as const
export type ServiceName = (typeof SERVICES)[number]

/** Everything that cycles need, each part a process that can be killed and comes back. */
export interface Fleet {
  readonly servers: Servers
  readonly gatewayUrl: string
  readonly apiKey: string
  readonly embeddedUrl: string
  /** kill -9, unless another signal is wanted; resolves when it is back. */
  kill(service: ServiceName | 'embedded-cluster', signal?: 'SIGTERM'): Promise<void>
  /**
   * From its next start on, each process of the service dies at the next of these points, one after the other; the
   * service is killed once to begin with. Answers the points that are yet to be reached.
   */
  arm(service: ServiceName, points: readonly string[]): { readonly left: readonly string[]; disarm(): Promise<void> }
  /** Lines that services wrote at level warn and above, for people who look for a cause. */
  readonly log: readonly string[]
  stop(): Promise<void>
}

const mainOf = (folder: string): string => fileURLToPath(new URL(`../../${folder}/dist/main.js`, import.meta.url))

const GRACE_SECONDS = 5
const WARN = 40

interface Line {
  readonly level?: number
  readonly message?: string
  readonly url?: string
}

function parse(line: string): Line {
  try {
    return JSON.parse(line) as Line
  } catch {
    return { level: Infinity }
  }
}

/** One process that is kept running, and what its next start is told besides. */
class Part {
  private kept: KeptProcess | undefined
  private points: string[] = []
  private armed: string | null = null
  private readonly backAgain = new Set<() => void>()

  constructor(
    readonly name: string,
    private readonly main: string,
    private readonly environment: Record<string, string>,
    private readonly log: string[],
  ) {}

  async start(): Promise<string> {
    this.kept = await keepRunning({
      longestWaitMs: 100,
      command: (_, address) => ({
        name: this.name,
        program: process.execPath,
        args: ['--enable-source-maps', this.main],
        env: { ...this.environment, ...this.nextCrash(), PORT: address ? new URL(address).port : '0' },
        stopSignals: ['TERM'],
        graceSeconds: GRACE_SECONDS,
        temporaryDir: null,
        ready: (line) => (line.startsWith('http://') ? line : runsAt(line)),
        onLine: (line) => this.hear(line),
      }),
      onEnd: ({ reason }) => this.log.push(`${this.name}: ${reason}`),
      onStart: () => this.isBack(),
    })
    return this.kept.ready
  }

  get left(): readonly string[] {
    return this.armed === null ? this.points : [this.armed, ...this.points]
  }

  async arm(points: readonly string[]): Promise<void> {
    this.points = [...points]
    this.armed = null
    await this.kill()
  }

  /** Resolves when it is back. One that is down already comes up first: a kill hits a process that runs. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    while (this.kept?.pid === null) await this.untilBack()
    const back = this.untilBack()
    killIfThere(this.kept?.pid as number, signal)
    await back
  }

  async stop(): Promise<void> {
    await this.kept?.stop()
  }

  /** A process that starts while one was armed means that the one before it died at its point. */
  private nextCrash(): Record<string, string> {
    this.armed = this.points.shift() ?? null
    return this.armed === null ? {} : { NODE_ENV: 'test', ORDEAL_CRASH_AT: this.armed }
  }

  private untilBack(): Promise<void> {
    return new Promise((resolve) => this.backAgain.add(resolve))
  }

  private isBack(): void {
    for (const resolve of this.backAgain) resolve()
    this.backAgain.clear()
  }

  private hear(line: string): void {
    if ((parse(line).level ?? Infinity) >= WARN && !line.startsWith('http://')) this.log.push(line)
  }
}

function runsAt(line: string): string | null {
  const { message, url } = parse(line)
  return message === 'the service runs' ? (url ?? null) : null
}

/** It may have died at its own crashpoint a moment ago. */
function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Starts the servers, the embedded clusters' server and the five services, each from its environment alone. */
export async function startFleet(): Promise<Fleet> {
  const servers = await startServers()
  const log: string[] = []
  const apiKey = `ordeal_${randomBytes(32).toString('base64url')}`
  const embedded = new Part('embedded-cluster', mainOf('libs/embedded-cluster'), {}, log)
  const embeddedUrl = await embedded.start()
  const environment = {
    DATABASE_URL: servers.databaseUrl,
    PLUMBING_DATABASE_URL: servers.plumbingDatabaseUrl,
    NATS_URL: servers.natsUrl,
    EMBEDDED_CLUSTER_URL: embeddedUrl,
    ORDEAL_VAULT_KEY: randomBytes(32).toString('base64'),
    ORDEAL_TENANT: 'crash',
    ORDEAL_API_KEY: apiKey,
    PHASE_LEASE: '2s',
    DRAIN_TIMEOUT: '3s',
  }
  const parts = new Map(
    SERVICES.map((name) => [name as string, new Part(name, mainOf(`services/${name}`), environment, log)]),
  )
  const [gatewayUrl = ''] = await Promise.all([...parts.values()].map((part) => part.start()))
  parts.set('embedded-cluster', embedded)
  const partOf = (name: string): Part => parts.get(name) as Part
  return {
    servers,
    gatewayUrl,
    apiKey,
    embeddedUrl,
    log,
    kill: (service, signal) => partOf(service).kill(signal),
    arm: (service, points) => {
      const part = partOf(service)
      const arming = part.arm(points)
      return {
        get left() {
          return part.left
        },
        disarm: () => arming.then(() => (part.left.length > 0 ? part.arm([]) : undefined)),
      }
    },
    stop: async () => {
      await Promise.all([...parts.values()].map((part) => part.stop()))
      await servers.stop()
    },
  }
}
