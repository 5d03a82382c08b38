import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { subscriptions, type ServiceName } from '../events/catalogue.js'
import { TerminalError } from '../errors.js'
import { NewerDatabaseError, translateStoreError } from './errors.js'
import { ensureRoles, type RolePasswords } from './roles.js'

/**
 * A row of numbered, forward-only SQL files for one schema. In them `:schema` is its name. Applied files never change:
 * write the next number instead.
 */
export interface MigrationSet {
  /** Unique; names the set in `shared.migrations`. */
  readonly name: string
  readonly schema: string
  /** A folder of `0001-what-it-does.sql`, `0002-….sql`, … */
  readonly folder: URL
}

export interface MigrateOptions {
  /** Connects as the owner of the schemas, who may create roles. */
  readonly adminUrl: string
  readonly passwords: RolePasswords
  /** Sets besides the built-in ones, applied after them. */
  readonly sets?: readonly MigrationSet[]
}

interface Migration {
  readonly number: number
  readonly file: string
  readonly sql: string
  readonly checksum: string
}

const folder = (name: string): URL => new URL(`./migrations/${name}/`, import.meta.url)
const services = Object.keys(subscriptions) as ServiceName[]

const builtIn: readonly MigrationSet[] = [
  { name: 'shared', schema: 'shared', folder: folder('shared') },
  ...services.map((name) => ({ name: `${name}/plumbing`, schema: name, folder: folder('service') })),
  { name: 'gateway', schema: 'gateway', folder: folder('gateway') },
]

async function readMigrations(set: MigrationSet): Promise<Migration[]> {
  const files = (await readdir(fileURLToPath(set.folder))).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file, index) => {
      const number = Number(/^(\d{4})-/.exec(file)?.[1])
      if (number !== index + 1) throw new TerminalError('migration-misnumbered', `${set.name}: ${file} is out of order`)
      const sql = (await readFile(new URL(file, set.folder), 'utf8')).replaceAll(':schema', set.schema)
      return { number, file, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function pendingOf(client: pg.Client, set: MigrationSet): Promise<Migration[]> {
  const known = await readMigrations(set)
  const { rows } = await client.query<{ number: number; checksum: string }>(
    'select number, checksum from shared.migrations where migration_set = $1 order by number',
    [set.name],
  )
  const newest = rows.at(-1)?.number ?? 0
  if (newest > known.length) throw new NewerDatabaseError(set.name, newest, known.length)
  const edited = known.find((m) => rows.some((row) => row.number === m.number && row.checksum !== m.checksum))
  if (edited) {
    const advice = 'Undo the edit and write the next number instead'
    throw new TerminalError('migration-edited', `${set.name}: ${edited.file} was edited after it ran. ${advice}`)
  }
  return known.slice(newest)
}

async function inTransaction(client: pg.Client, what: string, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error })
  }
}

async function applySet(client: pg.Client, set: MigrationSet): Promise<void> {
  await client.query(`create schema if not exists ${pg.escapeIdentifier(set.schema)}`)
  for (const migration of await pendingOf(client, set)) {
    await inTransaction(client, `migration ${set.name}/${migration.file}`, async () => {
      await client.query(migration.sql)
      await client.query(
        'insert into shared.migrations (migration_set, number, file, checksum) values ($1, $2, $3, $4)',
        [set.name, migration.number, migration.file, migration.checksum],
      )
    })
  }
}

const PREPARE = `
  create schema if not exists shared;
  create table if not exists shared.migrations (
    migration_set text not null,
    number integer not null,
    file text not null,
    checksum text not null,
    applied_at timestamptz not null default now(),
    primary key (migration_set, number)
  )`

/**
 * Brings roles and schemas up to date; nothing happens when they are. Any number of processes may call it at once: an
 * advisory lock lets one in at a time. Throws NewerDatabaseError when a newer build was here first.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const client = new pg.Client({ connectionString: options.adminUrl, application_name: 'ordeal migrate' })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(`select pg_advisory_lock(hashtextextended('ordeal.migrate', 0))`)
    await ensureRoles(client, options.passwords)
    await client.query(PREPARE)
    for (const set of [...builtIn, ...(options.sets ?? [])]) await applySet(client, set)
  } catch (error) {
    throw translateStoreError(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}
