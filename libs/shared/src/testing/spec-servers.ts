import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { randomName } from '../ids.js'
import { DEAD_STREAM } from '../messaging/topology.js'
import { migrate } from '../store/migrate.js'
import { type RolePasswords } from '../store/roles.js'

/** Of the roles on the test server, which all its databases share: a spec that migrates by itself must use them too. */
export const SPEC_PASSWORDS: RolePasswords = { app: 'spec-app', plumbing: 'spec-plumbing' }

/** A migrated database that no other spec file sees. */
export interface SpecDatabase {
  /** As the superuser. */
  readonly adminUrl: string
  /** As `ordeal_app`. */
  readonly databaseUrl: string
  /** As `ordeal_plumbing`. */
  readonly plumbingDatabaseUrl: string
  /** Drops it, open connections and all. */
  readonly drop: () => Promise<void>
}

const TEMPLATE = 'ordeal_template'

/** A fresh copy (some 50 ms) of a template that is migrated once in a test run. For `beforeAll`; drop it in `afterAll`. */
export async function createSpecDatabase(): Promise<SpecDatabase> {
  const serverUrl = variable('ORDEAL_TEST_POSTGRES_URL')
  const name = `spec_${randomName(12)}`
  await withClient(serverUrl, async (client) => {
    await ensureTemplate(client, serverUrl)
    await client.query(`create database ${name} template ${TEMPLATE}`)
  })
  return {
    adminUrl: urlOf(serverUrl, name),
    databaseUrl: urlOf(serverUrl, name, ['ordeal_app', SPEC_PASSWORDS.app]),
    plumbingDatabaseUrl: urlOf(serverUrl, name, ['ordeal_plumbing', SPEC_PASSWORDS.plumbing]),
    drop: () =>
      withClient(serverUrl, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`)
      }),
  }
}

/** An empty database, for specs about migrations. */
export async function createEmptyDatabase(): Promise<Pick<SpecDatabase, 'adminUrl' | 'drop'>> {
  const serverUrl = variable('ORDEAL_TEST_POSTGRES_URL')
  const name = `spec_${randomName(12)}`
  const run = (sql: string): Promise<void> =>
    withClient(serverUrl, async (client) => {
      await client.query(sql)
    })
  await run(`create database ${name} template template0`)
  return { adminUrl: urlOf(serverUrl, name), drop: () => run(`drop database if exists ${name} with (force)`) }
}

/**
 * A NATS server without streams that no other spec file uses at the same time: each of jest's workers, which runs one
 * spec file after the other, has its own. For `beforeAll`.
 */
export async function emptySpecNats(): Promise<{ url: string }> {
  const urls = variable('ORDEAL_TEST_NATS_URLS').split(' ')
  const worker = Number(process.env.JEST_WORKER_ID ?? 1)
  const url = urls[worker - 1]
  if (!url) throw new Error(`there are ${urls.length} NATS servers for this test run, and none for worker ${worker}`)
  const connection = await connect({ servers: url })
  try {
    const { streams } = await jetstreamManager(connection)
    for await (const stream of streams.list()) await streams.delete(stream.config.name)
  } finally {
    await connection.close()
  }
  return { url }
}

/** Subjects of the messages that lie among the dead on a NATS server. */
export async function deadLetters(url: string): Promise<string[]> {
  const connection = await connect({ servers: url })
  try {
    const { streams } = await jetstreamManager(connection)
    const { state } = await streams.info(DEAD_STREAM, { subjects_filter: '>' })
    return Object.keys(state.subjects ?? {})
  } finally {
    await connection.close()
  }
}

function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: specs with servers run in jest's project int or e2e`)
  return value
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Migrated under another name first, so that a template is either whole or not there. One worker makes it. */
async function ensureTemplate(client: pg.Client, serverUrl: string): Promise<void> {
  await client.query(`select pg_advisory_lock(hashtextextended('${TEMPLATE}', 0))`)
  const { rowCount } = await client.query('select from pg_database where datname = $1', [TEMPLATE])
  if (!rowCount) {
    const draft = `${TEMPLATE}_draft`
    await client.query(`drop database if exists ${draft}`)
    await client.query(`create database ${draft}`)
    await migrate({ adminUrl: urlOf(serverUrl, draft), passwords: SPEC_PASSWORDS })
    await client.query(`alter database ${draft} rename to ${TEMPLATE}`)
  }
  await client.query(`select pg_advisory_unlock(hashtextextended('${TEMPLATE}', 0))`)
}

function urlOf(serverUrl: string, database: string, login?: readonly [user: string, password: string]): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  if (login) [url.username, url.password] = login
  return url.href
}
