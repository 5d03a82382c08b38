import { createHash, randomBytes } from 'node:crypto'
import { type Store, tenantId } from '@ordeal/shared'
import { type AuthenticatedRequest, type Principal, type Role } from './principal.js'

/** Marks a key as Ordeal's, so that secret scanners find lost ones. */
const PREFIX = 'ordeal_'

/** What is kept of a key. */
export const hashOfKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** A new key: 256 random bits, which need no slow hash. It is shown once; only its hash is kept. */
export const newApiKey = (): string => PREFIX + randomBytes(32).toString('base64url')

/** The key that a request came with, or null. */
export const bearerOf = ({ headers }: AuthenticatedRequest): string | null =>
  /^Bearer (\S{1,200})$/i.exec(String(headers.authorization ?? ''))?.[1] ?? null

interface PrincipalRow {
  tenant_id: string
  key_id: string
  role: Role
}

/** Whom a key stands for; null for one that is unknown, expired or revoked. */
export async function findPrincipal(store: Store, key: string): Promise<Principal | null> {
  const [row] = await store.lookUp<PrincipalRow>('select tenant_id, key_id, role from gateway.find_api_key($1)', [
    hashOfKey(key),
  ])
  return row ? { tenantId: tenantId.parse(row.tenant_id), keyId: row.key_id, role: row.role } : null
}
