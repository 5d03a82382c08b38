import { endpointSchema, TENANT_MODEL, type CycleKey, type Endpoint, type Tx, type VaultCipher } from '@ordeal/shared'
import { putInVault } from '@ordeal/shared/runtime'
import { selectSealedModel } from '../db/models.sql.js'

const placeOf = (tenantId: CycleKey['tenantId']): string => `${tenantId}/model`

/** What opens a tenant's endpoint, readable at its own place only. */
export const sealModel = (cipher: VaultCipher, tenantId: CycleKey['tenantId'], endpoint: Endpoint): Buffer =>
  cipher.seal(placeOf(tenantId), JSON.stringify(endpoint))

/** Gives a cycle its tenant's model, where there is one: into its vault, which the services that ask models read. */
export async function handOverModel(tx: Tx, cipher: VaultCipher, key: CycleKey): Promise<void> {
  const sealed = await selectSealedModel(tx)
  if (!sealed) return
  const endpoint = endpointSchema.parse(JSON.parse(cipher.open(placeOf(key.tenantId), sealed)))
  await putInVault(tx, key, cipher, { name: TENANT_MODEL, body: endpoint })
}
