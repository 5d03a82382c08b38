import pg from 'pg'
import { newCycleId, tenantId } from '../ids.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { createSpecDatabase, type SpecDatabase } from '../testing/spec-servers.js'
import { createStore, type Store } from './store.js'

interface Table {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string; readonly fill: boolean }[]
}

/** Of the catalogue, so that a table which somebody adds is looked at without a word here. */
const TABLES = `
  select c.oid::regclass::text as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
    (select json_agg(json_build_object(
       'name', a.attname, 'type', format_type(a.atttypid, null),
       'fill', a.attnotnull and not a.atthasdef and a.attidentity = '') order by a.attnum)
     from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema')
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
  order by 1`

/** Values that satisfy the checks of our tables. */
const VALUES: Readonly<Record<string, unknown>> = {
  status: 'queued',
  role: 'viewer',
  hash: Buffer.alloc(32),
  artefact_id: `sha256:${'0'.repeat(64)}`,
  project: 'p',
  by_default: 'reject',
  decision: 'approve',
}
const BY_TYPE: Readonly<Record<string, unknown>> = {
  text: 'p',
  'text[]': ['p'],
  integer: 1,
  bigint: 1,
  boolean: false,
  json: '{}',
  jsonb: '{}',
  bytea: Buffer.alloc(32),
  'double precision': 1,
  'timestamp without time zone': new Date(0),
  'timestamp with time zone': new Date(0),
}

const [ours, theirs] = [tenantId.parse('ours'), tenantId.parse('theirs')]

describe('tenants in the database, without any check of an application', () => {
  let database: SpecDatabase
  let store: Store
  let admin: pg.Client
  let tables: (Table & { enabled: boolean; forced: boolean })[]
  beforeAll(async () => {
    database = await createSpecDatabase()
    store = createStore({ ...database, poolSize: 2, name: 'spec' }, log)
    admin = new pg.Client({ connectionString: database.adminUrl })
    await admin.connect()
    tables = (await admin.query(TABLES)).rows as typeof tables
    await admin.query("insert into gateway.projects (tenant_id, name) values ('ours', 'p')")
    for (const table of tables) await fill(table)
  })
  afterAll(async () => {
    await admin.end()
    await store.close()
    await database.drop()
  })

  async function fill({ name, columns }: Table): Promise<void> {
    const filled = columns.filter((column) => column.fill)
    const values = filled.map((column) => valueOf(column))
    const marks = filled.map((_, index) => `$${index + 1}`)
    const names = filled.map((column) => column.name)
    await admin.query(`insert into ${name} (${names.join()}) values (${marks.join()}) on conflict do nothing`, values)
  }

  function valueOf({ name, type }: Table['columns'][number]): unknown {
    if (name === 'tenant_id') return ours
    if (name === 'cycle_id') return newCycleId()
    const value = VALUES[name] ?? BY_TYPE[type]
    if (value === undefined) throw new Error(`say in this spec what a column ${name} of type ${type} may hold`)
    return value
  }

  const counts = async (read: (sql: string) => Promise<{ count: string }[]>): Promise<Record<string, number>> => {
    const found: Record<string, number> = {}
    for (const { name } of tables) {
      const [row] = await read(`select count(*) from ${name}`).catch((error: unknown) => {
        if (String(error).includes('permission denied')) return [{ count: '0' }]
        throw error
      })
      found[name] = Number(row?.count)
    }
    return found
  }
  const none = (): Record<string, number> => Object.fromEntries(tables.map(({ name }) => [name, 0]))
  const some = (): Record<string, number> => Object.fromEntries(tables.map(({ name }) => [name, 1]))

  it('have tables of every part, each with its rows walled in, also against the owner', () => {
    const schemas = new Set(tables.map(({ name }) => name.split('.')[0]))
    expect([...schemas].sort()).toEqual(['analysis', 'experiment', 'gateway', 'hypothesis', 'improvement', 'shared'])
    expect(tables.filter(({ enabled, forced }) => !enabled || !forced).map(({ name }) => name)).toEqual([])
  })

  it('see their own row in every table, which shows that there is one to be hidden', async () => {
    const own = await counts((sql) => store.withTenant(ours, (tx) => tx.query(sql)))
    expect(own).toEqual(some())
  })

  it('see nothing of each other in any table', async () => {
    expect(await counts((sql) => store.withTenant(theirs, (tx) => tx.query(sql)))).toEqual(none())
  })

  it('are invisible to a transaction without a tenant', async () => {
    expect(await counts((sql) => store.withoutTenant((tx) => tx.query(sql)))).toEqual(none())
  })

  it('change nothing of each other, and put nothing under the name of another', async () => {
    for (const { name, columns } of tables) {
      const write = (sql: string): Promise<unknown[]> =>
        store.withTenant(theirs, (tx) => tx.query(`${sql} returning 1`)).catch(() => [])
      expect(await write(`update ${name} set tenant_id = 'theirs'`)).toEqual([])
      expect(await write(`delete from ${name}`)).toEqual([])
      const names = columns.filter((column) => column.fill).map((column) => column.name)
      const values = columns.filter((column) => column.fill).map((column) => valueOf(column))
      const marks = names.map((_, index) => `$${index + 1}`)
      const insert = store.withTenant(theirs, (tx) =>
        tx.query(`insert into ${name} (${names.join()}) values (${marks.join()})`, values),
      )
      await expect(insert).rejects.toThrow(/row-level security|permission denied/)
    }
    expect(await counts((sql) => store.withTenant(ours, (tx) => tx.query(sql)))).toEqual(some())
  })

  it('cannot be looked through by way of a view or a function that runs with more rights', async () => {
    const { rows } = await admin.query<{ name: string }>(
      `select p.oid::regproc::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where p.prosecdef and n.nspname not in ('pg_catalog', 'information_schema')
         and has_function_privilege('ordeal_app', p.oid, 'execute')`,
    )
    expect(rows.map((row) => row.name)).toEqual(['gateway.find_api_key'])
    const { rows: views } = await admin.query(
      `select from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('v', 'm') and n.nspname not in ('pg_catalog', 'information_schema')`,
    )
    expect(views).toHaveLength(0)
  })
})
