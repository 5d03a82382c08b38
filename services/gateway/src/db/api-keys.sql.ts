import { type TenantId, type Tx } from '@ordeal/shared'
import { type KeyView } from '../api/contract.js'
import { type Role } from '../api/principal.js'

/** A key as it is written down: `hash` is the SHA-256 of its text. */
export interface KeyRecord {
  readonly id: string
  readonly role: Role
  readonly hash: Buffer
  /** Null for a key that does not expire. */
  readonly expiresAt: Date | null
}

/** Writes a key down. With `replace` also over one of the same id; answers false where there is one otherwise. */
export async function insertKey(tx: Tx, tenant: TenantId, key: KeyRecord, replace = false): Promise<boolean> {
  const onConflict = replace
    ? `do update set hash = excluded.hash, role = excluded.role, expires_at = excluded.expires_at, revoked_at = null`
    : 'do nothing'
  const rows = await tx.query(
    `insert into gateway.api_keys (tenant_id, key_id, hash, role, expires_at) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, key_id) ${onConflict} returning 1`,
    [tenant, key.id, key.hash, key.role, key.expiresAt],
  )
  return rows.length > 0
}

interface KeyRow {
  key_id: string
  role: Role
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
}

/** The tenant's keys in order of creation, without anything that opens a door. */
export async function selectKeys(tx: Tx): Promise<KeyView[]> {
  const rows = await tx.query<KeyRow>(
    'select key_id, role, created_at, expires_at, revoked_at from gateway.api_keys order by created_at, key_id',
  )
  return rows.map((row) => ({
    id: row.key_id,
    role: row.role,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  }))
}

/** Takes a key's rights away. Answers false when the tenant has no key of this id. */
export async function revokeKey(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    'update gateway.api_keys set revoked_at = coalesce(revoked_at, now()) where key_id = $1 returning 1',
    [id],
  )
  return rows.length > 0
}
