import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startNats, startPostgres } from '@ordeal/local-servers'
import { type Logger, type RolePasswords } from '@ordeal/shared'
import { migrate } from '@ordeal/shared/runtime'
import { startAll, stopAll, type Stoppable } from './together.js'

/** Servers that the services talk to. */
export interface Servers extends Stoppable {
  /** As the role that sees one tenant at a time. */
  readonly databaseUrl: string
  /** As the role that sees rows of ids only. */
  readonly plumbingDatabaseUrl: string
  readonly natsUrl: string
  readonly embeddedUrl: string
  /** Opens the vault of this database: 32 bytes in base64. */
  readonly vaultKey: string
}

export interface ServersOptions {
  /** Where data stay between starts; null for data that go with the servers. */
  readonly dataDir: string | null
  readonly log: Logger
  /** Starts the embedded clusters' server elsewhere than in this process. */
  readonly startEmbedded?: () => Promise<Embedded>
}

const HOST = '127.0.0.1'
// Postgres may run as another user, who must be able to pass through the folder; nobody needs to list it.
const PASSABLE = 0o711

/** Starts Postgres (migrated), NATS and the embedded clusters' server. */
export async function startServers({ dataDir, log, ...elsewhere }: ServersOptions): Promise<Servers> {
  if (dataDir) await mkdir(dataDir, { recursive: true, mode: PASSABLE })
  const storage = (name: string) => (dataDir ? { dir: join(dataDir, name) } : { temporary: true as const })
  const starting = startDatabase(storage('postgres'))
  // Postgres locks its folder, NATS does not: where data stay, another one that runs on them is noticed first.
  const undisturbed = dataDir ? starting.then(() => undefined) : Promise.resolve()
  const running = await startAll<[Database, Nats, Embedded]>([
    starting,
    undisturbed.then(() => startNats(storage('nats'))),
    (elsewhere.startEmbedded ?? (() => startEmbedded(log)))(),
  ])
  const [database, nats, embedded] = running
  return {
    ...database,
    natsUrl: nats.url,
    embeddedUrl: embedded.url,
    vaultKey: await vaultKey(dataDir),
    stop: () => stopAll(running),
  }
}

type Nats = Awaited<ReturnType<typeof startNats>>
type Database = Stoppable & Pick<Servers, 'databaseUrl' | 'plumbingDatabaseUrl'>
type Embedded = Stoppable & { readonly url: string }

async function startDatabase(storage: Parameters<typeof startPostgres>[0]): Promise<Database> {
  const postgres = await startPostgres(storage)
  // New ones at each start: nothing outlives this process that could use the old.
  const passwords: RolePasswords = { app: secret(24), plumbing: secret(24) }
  try {
    await migrate({ adminUrl: postgres.adminUrl, passwords })
  } catch (error) {
    await postgres.stop()
    throw error
  }
  return {
    databaseUrl: loginAs(postgres.adminUrl, 'ordeal_app', passwords.app),
    plumbingDatabaseUrl: loginAs(postgres.adminUrl, 'ordeal_plumbing', passwords.plumbing),
    stop: () => postgres.stop(),
  }
}

async function startEmbedded(log: Logger): Promise<Embedded> {
  const { createEmbeddedServer } = await import('@ordeal/embedded-cluster')
  const report = (error: unknown): void => log.error('the embedded cluster has a bug', { reason: String(error) })
  const server = await createEmbeddedServer({ host: HOST, port: 0, report })
  return { url: server.url, stop: () => server.close() }
}

const secret = (bytes: number): string => randomBytes(bytes).toString('base64url')

function loginAs(adminUrl: string, user: string, password: string): string {
  const url = new URL(adminUrl)
  ;[url.username, url.password] = [user, password]
  return url.href
}

/** The key that sealed what the database holds: kept beside data that stay, new for data that do not. */
async function vaultKey(dataDir: string | null): Promise<string> {
  if (!dataDir) return randomBytes(32).toString('base64')
  const file = join(dataDir, 'vault-key')
  await writeFile(file, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  })
  return readFile(file, 'utf8')
}
