import { createHash, randomBytes } from 'node:crypto'
import { type Store, type TenantId, tenantId, type Tx } from '@ordeal/shared'
import { type Principal, type Role } from './principal.js'

/** Marks a key as Ordeal's, so that secret scanners find lost ones. */
const PREFIX = 'ordeal_'

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()

/** A new key: 256 random bits, which need no slow hash. It is shown once; only its hash is kept. */
export const newApiKey = (): string => PREFIX + randomBytes(32).toString('base64url')

/** Lets `key` act for a tenant. Doing it again changes nothing. Run it in a transaction of the tenant. */
export async function addApiKey(
  tx: Tx,
  tenant: TenantId,
  key: string,
  about: { id: string; role: Role },
): Promise<void> {
  await tx.query(
    `insert into gateway.api_keys (tenant_id, key_id, hash, role) values ($1, $2, $3, $4)
     on conflict (tenant_id, key_id) do update set hash = excluded.hash, role = excluded.role, revoked_at = null`,
    [tenant, about.id, hashOf(key), about.role],
  )
}

interface KeyRow {
  tenant_id: string
  key_id: string
  role: Role
}

/** Whom a key stands for; null for one that is unknown, expired or revoked. */
export async function findPrincipal(store: Store, key: string): Promise<Principal | null> {
  const [row] = await store.withoutTenant((tx) =>
    tx.query<KeyRow>('select tenant_id, key_id, role from gateway.find_api_key($1)', [hashOf(key)]),
  )
  return row ? { tenantId: tenantId.parse(row.tenant_id), keyId: row.key_id, role: row.role } : null
}
