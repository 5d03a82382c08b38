import { TerminalError } from '../errors.js'
import { type CycleId, type TenantId } from '../ids.js'
import { type ArtefactStore, type Vault } from '../service/definition.js'
import { createArtefactStore, parseDocument, type ArtefactEntries, type ArtefactEntry } from './artefact-store.js'
import { canonicalJson } from './canonical-json.js'
import { type Store } from './store.js'
import { type Tx } from './tx.js'
import { type VaultCipher } from './vault-cipher.js'

/** Whose documents. */
export interface CycleKey {
  readonly tenantId: TenantId
  readonly cycleId: CycleId
}

/** Adds an entry within a transaction of the cycle's tenant; the same entry again changes nothing. */
export async function addArtefact(tx: Tx, { tenantId, cycleId }: CycleKey, entry: ArtefactEntry): Promise<void> {
  await tx.query(
    `insert into shared.artefacts (tenant_id, cycle_id, artefact_id, kind, name, revision, body)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [tenantId, cycleId, entry.id, entry.kind, entry.name, entry.revision, entry.body],
  )
}

interface BodyRow {
  readonly body: string
}

function postgresEntries(store: Store, key: CycleKey): ArtefactEntries {
  const { tenantId, cycleId } = key
  return {
    add: (entry) => store.withTenant(tenantId, (tx) => addArtefact(tx, key, entry)),
    body: async (id) => {
      const rows = await store.withTenant(tenantId, (tx) =>
        tx.query<BodyRow>(
          `select body::text as body from shared.artefacts
           where tenant_id = $1 and cycle_id = $2 and artefact_id = $3 limit 1`,
          [tenantId, cycleId, id],
        ),
      )
      return rows[0]?.body ?? null
    },
    bodies: async ({ kind, revision, newest }) => {
      const rows = await store.withTenant(tenantId, (tx) =>
        tx.query<BodyRow>(
          `select body::text as body from shared.artefacts
           where tenant_id = $1 and cycle_id = $2 and kind = $3 and ($4::integer is null or revision = $4)
           order by sequence ${newest ? 'desc limit 1' : 'asc'}`,
          [tenantId, cycleId, kind, revision ?? null],
        ),
      )
      return rows.map((row) => row.body)
    },
  }
}

/** The artefacts of one cycle in Postgres. */
export const createPostgresArtefacts = (store: Store, key: CycleKey): ArtefactStore =>
  createArtefactStore(postgresEntries(store, key))

const placeOf = ({ tenantId, cycleId }: CycleKey, name: string): string => `${tenantId}/${cycleId}/${name}`

/** Puts a document into the vault within a transaction of the cycle's tenant, sealed by `cipher`. */
export async function putInVault(
  tx: Tx,
  key: CycleKey,
  cipher: VaultCipher,
  document: { readonly name: string; readonly body: unknown },
): Promise<void> {
  const sealed = cipher.seal(placeOf(key, document.name), canonicalJson(document.body))
  await tx.query(
    `insert into shared.vault (tenant_id, cycle_id, name, sealed) values ($1, $2, $3, $4)
     on conflict (tenant_id, cycle_id, name) do update set sealed = excluded.sealed, updated_at = now()`,
    [key.tenantId, key.cycleId, document.name, sealed],
  )
}

/** The vault of one cycle in Postgres, sealed by `cipher`. */
export function createPostgresVault(store: Store, key: CycleKey, cipher: VaultCipher): Vault {
  const { tenantId, cycleId } = key
  return {
    put: (name, body) => store.withTenant(tenantId, (tx) => putInVault(tx, key, cipher, { name, body })),
    get: async (name, schema) => {
      const [row] = await store.withTenant(tenantId, (tx) =>
        tx.query<{ sealed: Buffer }>(
          'select sealed from shared.vault where tenant_id = $1 and cycle_id = $2 and name = $3',
          [tenantId, cycleId, name],
        ),
      )
      if (!row) throw new TerminalError('vault-missing', `the cycle's vault holds no ${name}`)
      return parseDocument(JSON.parse(cipher.open(placeOf(key, name), row.sealed)), schema, `${name} in the vault`)
    },
  }
}
