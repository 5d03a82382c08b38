import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { createEmptyDatabase, SPEC_PASSWORDS, type SpecDatabase } from '../testing/spec-servers.js'
import { migrate, type MigrationSet } from './migrate.js'

type Database = Pick<SpecDatabase, 'adminUrl' | 'drop'>

async function query<Row>(database: Database, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  try {
    return (await client.query(sql)).rows as Row[]
  } finally {
    await client.end()
  }
}

describe('migrations', () => {
  const databases: Database[] = []
  const folders: string[] = []
  const empty = async (): Promise<Database> => {
    const database = await createEmptyDatabase()
    databases.push(database)
    return database
  }
  const setOf = async (files: Record<string, string>): Promise<MigrationSet> => {
    const folder = await mkdtemp(join(tmpdir(), 'ordeal-migrations-'))
    folders.push(folder)
    for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql)
    return { name: 'extra', schema: 'extra', folder: pathToFileURL(`${folder}/`) }
  }
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.drop()))
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })))
  })

  it('run once, however many processes start them at once on however many databases', async () => {
    const [one, two] = [await empty(), await empty()]
    const runs = [one, one, one, two, two].map(({ adminUrl }) => migrate({ adminUrl, passwords: SPEC_PASSWORDS }))
    await Promise.all(runs)
    const counts = await query<{ sets: string; all: string }>(
      one,
      'select count(distinct migration_set) as sets, count(*) as all from shared.migrations',
    )
    expect(Number(counts[0]?.sets)).toBe(7)
    expect(counts).toEqual(
      await query(two, 'select count(distinct migration_set) as sets, count(*) as all from shared.migrations'),
    )
  })

  it('force row-level security on every table that names a tenant', async () => {
    const database = await empty()
    await migrate({ adminUrl: database.adminUrl, passwords: SPEC_PASSWORDS })
    const open = await query<{ name: string; forced: boolean }>(
      database,
      `select c.oid::regclass::text as name, c.relrowsecurity and c.relforcerowsecurity as forced
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
       where c.relkind in ('r', 'p') order by 1`,
    )
    expect(open.length).toBeGreaterThan(20)
    expect(open.filter((table) => !table.forced)).toEqual([])
  })

  it('apply further sets with the schema put in, and only what is new of them', async () => {
    const database = await empty()
    const { adminUrl } = database
    const first = await setOf({ '0001-a.sql': 'create table :schema.a (n integer); insert into :schema.a values (1)' })
    await migrate({ adminUrl, passwords: SPEC_PASSWORDS, sets: [first] })
    const second = await setOf({
      '0001-a.sql': 'create table :schema.a (n integer); insert into :schema.a values (1)',
      '0002-b.sql': 'insert into :schema.a values (2)',
    })
    await migrate({ adminUrl, passwords: SPEC_PASSWORDS, sets: [second] })
    expect(await query(database, 'select n from extra.a order by n')).toEqual([{ n: 1 }, { n: 2 }])
    await expect(migrate({ adminUrl, passwords: SPEC_PASSWORDS, sets: [first] })).rejects.toMatchObject({
      code: 'database-newer',
    })
  })

  it('refuse a file that was edited after it ran, one out of order, and leave nothing of one that fails', async () => {
    const database = await empty()
    const { adminUrl } = database
    const run = (set: MigrationSet): Promise<void> => migrate({ adminUrl, passwords: SPEC_PASSWORDS, sets: [set] })
    await expect(run(await setOf({ '0002-a.sql': 'select 1' }))).rejects.toMatchObject({
      code: 'migration-misnumbered',
    })
    const bad = await setOf({ '0001-a.sql': 'create table :schema.a (n integer); select no_such_thing' })
    await expect(run(bad)).rejects.toThrow('migration extra/0001-a.sql: column "no_such_thing" does not exist')
    expect(await query(database, `select to_regclass('extra.a') as there`)).toEqual([{ there: null }])
    await run(await setOf({ '0001-a.sql': 'create table :schema.a (n integer)' }))
    const edited = await setOf({ '0001-a.sql': 'create table :schema.a (n bigint)' })
    await expect(run(edited)).rejects.toMatchObject({ code: 'migration-edited' })
  })
})
