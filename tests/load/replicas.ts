import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'

/** Where the services find their servers; each is started from this alone, as in a deployment. */
export interface ServerAddresses {
  readonly databaseUrl: string
  readonly plumbingDatabaseUrl: string
  readonly natsUrl: string
  /** 32 bytes in base64. */
  readonly vaultKey: string
}

/** One line of a service's log. */
export type LogLine = Readonly<Record<string, unknown>>

/** A process of one service. */
export interface Replica {
  readonly service: ServiceName
  readonly url: string
  readonly pid: number
  readonly log: readonly LogLine[]
}

/** The five services, each in as many processes as asked for, and the embedded clusters' server. */
export interface Replicas {
  readonly replicas: readonly Replica[]
  /** Root of each gateway. */
  readonly gateways: readonly string[]
  readonly embedded: { readonly url: string; readonly pid: number }
  /** SIGTERM to all; resolves when the last one has drained. */
  stop(): Promise<void>
}

export const serviceNames = ['gateway', 'hypothesis', 'experiment', 'analysis', 'improvement'] as const
export type ServiceName = (typeof serviceNames)[number]

const START_MS = 60_000
const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Starts everything at once. Rejects, with all of it ended, when a process does not come up. */
export async function startReplicas(
  servers: ServerAddresses,
  count: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Replicas> {
  const started: ChildProcess[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((child) => end(child)))
  }
  const start = (program: string, env: Readonly<Record<string, string>>): ChildProcess => {
    const child = spawn(process.execPath, [inRoot(program)], {
      env: { PATH: process.env.PATH, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', ...env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    started.push(child)
    return child
  }
  try {
    const embedded = await startEmbedded(start)
    const env = {
      DATABASE_URL: servers.databaseUrl,
      PLUMBING_DATABASE_URL: servers.plumbingDatabaseUrl,
      NATS_URL: servers.natsUrl,
      ORDEAL_VAULT_KEY: servers.vaultKey,
      EMBEDDED_CLUSTER_URL: embedded.url,
    }
    const names = Array.from({ length: count }, () => serviceNames).flat()
    const replicas = await Promise.all(
      names.map((service) => untilRuns(service, start(`services/${service}/dist/main.js`, env))),
    )
    const gateways = replicas.filter((replica) => replica.service === 'gateway').map((replica) => replica.url)
    return { replicas, gateways, embedded, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Start = (program: string, env: Readonly<Record<string, string>>) => ChildProcess

async function startEmbedded(start: Start): Promise<Replicas['embedded']> {
  const child = start('libs/embedded-cluster/dist/main.js', {})
  child.stderr?.pipe(process.stderr)
  const url = await firstLine(child, 'the embedded cluster', (line) => (line.startsWith('http') ? line : null))
  return { url, pid: child.pid ?? 0 }
}

/** Resolves when the service says where it listens. All it logs is kept. */
async function untilRuns(service: ServiceName, child: ChildProcess): Promise<Replica> {
  const log: LogLine[] = []
  const url = await firstLine(child, service, (line) => {
    const entry = parse(line)
    log.push(entry)
    return entry.message === 'the service runs' ? String(entry.url) : null
  })
  return { service, url, pid: child.pid ?? 0, log }
}

/** Every line goes to `read`, of stdout and stderr alike; the first that it answers for is what was waited for. */
function firstLine(child: ChildProcess, what: string, read: (line: string) => string | null): Promise<string> {
  const lines: string[] = []
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${what} ${why}:\n${lines.slice(-5).join('\n')}`))
    const timer = setTimeout(() => fail('did not come up'), START_MS)
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      createInterface({ input: stream }).on('line', (line) => {
        if (lines.length < 50) lines.push(line)
        const answer = read(line)
        if (answer === null) return
        clearTimeout(timer)
        resolve(answer)
      })
    }
    child.once('exit', (code) => fail(`ended with ${code}`))
  })
}

function parse(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine
  } catch {
    return { message: line }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
