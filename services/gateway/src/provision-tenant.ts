import { type Store, type TenantId } from '@ordeal/shared'
import { addApiKey } from './api/api-key.js'

/** Makes sure that a tenant is there and that `apiKey` acts for it as its administrator. */
export async function provisionTenant(store: Store, tenantId: TenantId, apiKey: string): Promise<void> {
  await store.withTenant(tenantId, async (tx) => {
    await tx.query('insert into shared.tenants (tenant_id, name) values ($1, $1) on conflict do nothing', [tenantId])
    await addApiKey(tx, tenantId, apiKey, { id: 'bootstrap', role: 'admin' })
  })
}
