import { silentLogger as log } from '../testing/memory-context.js'
import { tenantId } from '../ids.js'
import { createSpecDatabase, type SpecDatabase } from '../testing/spec-servers.js'
import { pruneOldRows } from './prune.js'
import { createStore, type Store } from './store.js'

describe('pruneOldRows', () => {
  let database: SpecDatabase
  let store: Store
  beforeAll(async () => {
    database = await createSpecDatabase()
    store = createStore({ ...database, poolSize: 2, name: 'spec' }, log)
  })
  afterAll(async () => {
    await store.close()
    await database.drop()
  })

  it('removes what nothing asks for any more, in batches, and nothing else', async () => {
    await store.withTenant(tenantId.parse('acme'), async (tx) => {
      await tx.query(
        `insert into analysis.inbox (tenant_id, message_id, received_at)
         select 'acme', 'old-' || n, now() - interval '16 days' from generate_series(1, 5001) n
         union all select 'acme', 'new', now() - interval '14 days'`,
      )
      await tx.query(
        `insert into analysis.outbox (tenant_id, cycle_id, sequence, message_id, subject, envelope, created_at, published_at)
         values ('acme', 'c', 1, 'a', 's', '{}', now() - interval '9 days', now() - interval '8 days'),
                ('acme', 'c', 2, 'b', 's', '{}', now() - interval '9 days', null)`,
      )
    })
    expect(await pruneOldRows(store, 'analysis')).toBe(5002)
    const left = await store.withPlumbing((tx) =>
      tx.query('select message_id from analysis.inbox union all select message_id from analysis.outbox'),
    )
    expect(left).toEqual([{ message_id: 'new' }, { message_id: 'b' }])
  })
})
