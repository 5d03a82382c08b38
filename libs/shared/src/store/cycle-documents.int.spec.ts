import { z } from 'zod'
import { newCycleId, tenantId } from '../ids.js'
import { describeCycleDocuments } from '../testing/context-contract.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { createSpecDatabase, type SpecDatabase } from '../testing/spec-servers.js'
import { createPostgresArtefacts, createPostgresVault } from './cycle-documents.js'
import { createStore, type Store } from './store.js'
import { createVaultCipher } from './vault-cipher.js'

describe('documents in Postgres', () => {
  let database: SpecDatabase
  let store: Store
  const tenant = tenantId.parse('acme')
  const cipher = createVaultCipher(Buffer.alloc(32, 7))
  beforeAll(async () => {
    database = await createSpecDatabase()
    store = createStore({ ...database, poolSize: 2, name: 'spec' }, log)
  })
  afterAll(async () => {
    await store.close()
    await database.drop()
  })

  describeCycleDocuments('in Postgres', () => {
    const key = { tenantId: tenant, cycleId: newCycleId() }
    const vault = createPostgresVault(store, key, cipher)
    return Promise.resolve({ artefacts: createPostgresArtefacts(store, key), vault })
  })

  it('keeps vaulted texts from whoever reads the table', async () => {
    const key = { tenantId: tenant, cycleId: newCycleId() }
    await createPostgresVault(store, key, cipher).put('input', { password: 'hunter2-hunter2' })
    const [row] = await store.withTenant(tenant, (tx) =>
      tx.query<{ sealed: Buffer }>('select sealed from shared.vault'),
    )
    expect(row?.sealed.includes('hunter2')).toBe(false)
    const other = createPostgresVault(store, key, createVaultCipher(Buffer.alloc(32, 8)))
    await expect(other.get('input', z.unknown())).rejects.toMatchObject({ code: 'vault-unreadable' })
  })

  it('keeps documents of one cycle from another of the same tenant', async () => {
    const id = await createPostgresArtefacts(store, { tenantId: tenant, cycleId: newCycleId() }).put('note', { a: 1 })
    const other = createPostgresArtefacts(store, { tenantId: tenant, cycleId: newCycleId() })
    await expect(other.get(id, z.unknown())).rejects.toMatchObject({ code: 'artefact-missing' })
  })
})
