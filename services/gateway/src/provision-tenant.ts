import { type Store, type TenantId } from '@ordeal/shared'
import { hashOfKey } from './api/api-key.js'
import { insertKey } from './db/api-keys.sql.js'

/** A key as it is first made: `id` names it to people, in lists and wherever something was done with it. */
export interface FirstKey {
  readonly id: string
  readonly apiKey: string
}

/** Makes sure that a tenant is there and that the key acts for it as its administrator. */
export async function provisionTenant(store: Store, tenantId: TenantId, { id, apiKey }: FirstKey): Promise<void> {
  await store.withTenant(tenantId, async (tx) => {
    await tx.query('insert into shared.tenants (tenant_id, name) values ($1, $1) on conflict do nothing', [tenantId])
    await insertKey(tx, tenantId, { id, role: 'admin', hash: hashOfKey(apiKey), expiresAt: null }, true)
  })
}
