import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNats, startPostgres } from '@ordeal/local-servers'
import { createStore, migrate } from '@ordeal/shared/runtime'
import { type Logger, type Store } from '@ordeal/shared'

/** Postgres and NATS with data that outlive them, so that they can be killed and come back where they were. */
export interface Servers {
  readonly databaseUrl: string
  readonly plumbingDatabaseUrl: string
  readonly natsUrl: string
  /** Sees every row of every tenant. */
  readonly store: Store
  /** kill -9, and back on the same port. */
  killPostgres(): Promise<void>
  restartNats(): Promise<void>
  stop(): Promise<void>
}

const PASSWORDS = { app: 'crash-app', plumbing: 'crash-plumbing' }

const silent: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  scope: () => silent,
}

const portOf = (url: string): number => Number(new URL(url).port)

function loginAs(adminUrl: string, user: string, password: string): string {
  const url = new URL(adminUrl)
  ;[url.username, url.password] = [user, password]
  return url.href
}

/** Starts both in a new folder, which `stop` removes. */
export async function startServers(): Promise<Servers> {
  const root = await mkdtemp(join(tmpdir(), 'ordeal-crash-'))
  // Where this runs as root, Postgres runs as somebody else and has to enter.
  await chmod(root, 0o755)
  const folders = { postgres: join(root, 'postgres'), nats: join(root, 'nats') }
  let [postgres, nats] = await Promise.all([startPostgres({ dir: folders.postgres }), startNats({ dir: folders.nats })])
  const { adminUrl } = postgres
  await migrate({ adminUrl, passwords: PASSWORDS })
  const config = { databaseUrl: adminUrl, plumbingDatabaseUrl: adminUrl, poolSize: 2, name: 'crash tests' }
  const store = createStore(config, silent)
  const natsUrl = nats.url
  return {
    databaseUrl: loginAs(adminUrl, 'ordeal_app', PASSWORDS.app),
    plumbingDatabaseUrl: loginAs(adminUrl, 'ordeal_plumbing', PASSWORDS.plumbing),
    natsUrl,
    store,
    killPostgres: async () => {
      const [pid] = (await readFile(join(folders.postgres, 'data/postmaster.pid'), 'utf8')).split('\n')
      process.kill(Number(pid), 'SIGKILL')
      await postgres.stop()
      postgres = await startPostgres({ dir: folders.postgres, port: portOf(adminUrl) })
    },
    restartNats: async () => {
      await nats.stop()
      nats = await startNats({ dir: folders.nats, port: portOf(natsUrl) })
    },
    stop: async () => {
      await store.close()
      await Promise.all([postgres.stop(), nats.stop()])
      await rm(root, { recursive: true, force: true })
    },
  }
}
