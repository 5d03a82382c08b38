import { newCycleId, tenantId } from '../ids.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { createSpecDatabase, type SpecDatabase } from '../testing/spec-servers.js'
import { signal } from '../testing/spec-services.js'
import { createPostgresArtefacts, createPostgresVault } from './cycle-documents.js'
import { StoreUnavailableError } from './errors.js'
import { createStore, type Store } from './store.js'
import { createVaultCipher } from './vault-cipher.js'

const [acme, evil] = [tenantId.parse('acme'), tenantId.parse('evil')]

describe('the store', () => {
  let database: SpecDatabase
  let store: Store
  beforeAll(async () => {
    database = await createSpecDatabase()
    store = createStore({ ...database, poolSize: 3, name: 'spec' }, log)
    for (const tenant of [acme, evil]) await seed(tenant)
  })
  afterAll(async () => {
    await store.close()
    await database.drop()
  })

  /** One row of a tenant in every table that can hold any, by the way the services use. */
  const seed = async (tenant: typeof acme): Promise<void> => {
    const cycleId = newCycleId()
    const key = { tenantId: tenant, cycleId }
    await createPostgresArtefacts(store, key).put('note', { of: tenant })
    await createPostgresVault(store, key, createVaultCipher(new Uint8Array(32))).put('input', { of: tenant })
    await store.withTenant(tenant, async (tx) => {
      await tx.query(`insert into experiment.inbox (tenant_id, message_id) values ($1, 'msg-a')`, [tenant])
      await tx.query('insert into experiment.cycle_states (tenant_id, cycle_id) values ($1, $2)', [tenant, cycleId])
      await tx.query(
        `insert into experiment.phases (tenant_id, cycle_id, revision, phase, input, correlation_id, traceparent)
         values ($1, $2, 0, 'measure', '{}', 'c', 't')`,
        [tenant, cycleId],
      )
      await tx.query(`insert into gateway.projects (tenant_id, name) values ($1, 'shop')`, [tenant])
      await tx.query(
        `insert into gateway.api_keys (tenant_id, key_id, hash, role) values ($1::text, 'k', sha256($1::text::bytea), 'admin')`,
        [tenant],
      )
    })
  }

  const TABLES = [
    'shared.artefacts',
    'shared.vault',
    'experiment.inbox',
    'experiment.cycle_states',
    'experiment.phases',
    'gateway.projects',
    'gateway.api_keys',
  ]

  it.each(TABLES)('shows a tenant its own rows of %s, and nothing to no tenant', async (table) => {
    const sql = `select distinct tenant_id from ${table}`
    expect(await store.withTenant(acme, (tx) => tx.query(sql))).toEqual([{ tenant_id: 'acme' }])
    expect(await store.withoutTenant((tx) => tx.query(sql))).toEqual([])
    // The same connection, after a tenant's transaction.
    for (let i = 0; i < 5; i += 1) expect(await store.withoutTenant((tx) => tx.query(sql))).toEqual([])
  })

  it.each([
    ['insert another tenant’s row', `insert into gateway.projects (tenant_id, name) values ('acme', 'stolen')`],
    ['take row security off', 'alter table shared.artefacts disable row level security'],
    ['become the owner', 'set role postgres'],
    ['change a document', `update shared.artefacts set kind = 'x'`],
    ['delete a document', 'delete from shared.artefacts'],
    ['read the migrations', 'select * from shared.migrations'],
    ['weaken isolation by its own procedure', `call shared.isolate('gateway.projects', true)`],
  ])('does not let the application %s', async (_what, sql) => {
    await expect(store.withTenant(evil, (tx) => tx.query(sql))).rejects.toThrow(
      /row-level security|must be owner|permission denied|does not exist/,
    )
  })

  it('answers an error, not fewer rows, when the application turns row security off for itself', async () => {
    const attempt = store.withTenant(evil, async (tx) => {
      await tx.query('set local row_security = off')
      return tx.query('select * from shared.artefacts')
    })
    await expect(attempt).rejects.toThrow('row-level security')
  })

  it('cannot touch another tenant’s rows by naming them', async () => {
    const rows = await store.withTenant(evil, (tx) =>
      tx.query(`update experiment.phases set state = 'done' where tenant_id = 'acme' returning id`),
    )
    expect(rows).toEqual([])
  })

  it('shows plumbing the ids of all tenants and no document', async () => {
    const seen = await store.withPlumbing((tx) => tx.query('select tenant_id from experiment.phases order by 1'))
    expect(seen).toEqual([{ tenant_id: 'acme' }, { tenant_id: 'evil' }])
    for (const table of ['shared.artefacts', 'shared.vault', 'gateway.projects', 'gateway.api_keys']) {
      await expect(store.withPlumbing((tx) => tx.query(`select * from ${table}`))).rejects.toThrow('permission denied')
    }
  })

  it('finds a key’s tenant by its hash alone', async () => {
    const find = (hash: string): Promise<unknown[]> =>
      store.withoutTenant((tx) => tx.query(`select * from gateway.find_api_key(sha256($1::bytea))`, [hash]))
    expect(await find('acme')).toEqual([{ tenant_id: 'acme', key_id: 'k', role: 'admin' }])
    expect(await find('guess')).toEqual([])
    await store.withTenant(acme, (tx) => tx.query('update gateway.api_keys set revoked_at = now()'))
    expect(await find('acme')).toEqual([])
  })

  it('refuses a tenant id that could leave its quotes', async () => {
    const bad = `x'; drop table shared.vault; --` as typeof acme
    await expect((async () => store.withTenant(bad, (tx) => tx.query('select 1')))()).rejects.toThrow('not a tenant id')
  })

  it('rolls back what failed and gives the connection back', async () => {
    for (let i = 0; i < 6; i += 1) {
      const failing = store.withTenant(acme, async (tx) => {
        await tx.query(`insert into gateway.projects (tenant_id, name) values ('acme', 'half')`)
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
    }
    const sql = `select 1 from gateway.projects where name = 'half'`
    expect(await store.withTenant(acme, (tx) => tx.query(sql))).toEqual([])
  })

  it('hears notifications, again after its connection was killed', async () => {
    const [first, second] = [signal<string>(), signal<string>()]
    const connected: Array<() => void> = []
    const reconnected = [signal(), signal()]
    connected.push(...reconnected.map((s) => s.resolve))
    const listener = store.listen('spec', (payload) => {
      if (payload === '') connected.shift()?.()
      if (payload === 'one') first.resolve(payload)
      if (payload === 'two') second.resolve(payload)
    })
    await reconnected[0]?.promise
    await store.withPlumbing((tx) => tx.query(`select pg_notify('spec', 'one')`))
    expect(await first.promise).toBe('one')
    await store.withPlumbing((tx) =>
      tx.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'spec listener'`),
    )
    await reconnected[1]?.promise
    await store.withPlumbing((tx) => tx.query(`select pg_notify('spec', 'two')`))
    expect(await second.promise).toBe('two')
    await listener.close()
  })

  it('survives the loss of a connection in the middle of a transaction, and says that it may be tried again', async () => {
    const cut = store.withTenant(acme, async (tx) => {
      const [own] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
      await tx.query('select pg_terminate_backend($1)', [own?.pid])
      return tx.query('select 1')
    })
    await expect(cut).rejects.toBeInstanceOf(StoreUnavailableError)
    expect(await store.withTenant(acme, (tx) => tx.query('select 1 as one'))).toEqual([{ one: 1 }])
  })

  it('calls a server that is not there unavailable', async () => {
    const nowhere = 'postgres://ordeal_app:x@127.0.0.1:1/none'
    const lost = createStore({ databaseUrl: nowhere, plumbingDatabaseUrl: nowhere, poolSize: 1, name: 'x' }, log)
    await expect(lost.withTenant(acme, (tx) => tx.query('select 1'))).rejects.toBeInstanceOf(StoreUnavailableError)
    await expect(lost.ping(500)).rejects.toThrow('ECONNREFUSED')
    await lost.close()
  })
})
