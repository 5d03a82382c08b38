import {
  type ClusterCredential,
  clusterCredentialSchema,
  type CycleKey,
  type Tx,
  type VaultCipher,
} from '@ordeal/shared'
import { putInVault } from '@ordeal/shared/runtime'
import { selectSealedCluster } from '../db/clusters.sql.js'

/** A registered cluster. */
interface ClusterKey {
  readonly tenantId: CycleKey['tenantId']
  readonly name: string
}

const placeOf = ({ tenantId, name }: ClusterKey): string => `${tenantId}/clusters/${name}`

/** What opens a cluster, readable at its own place only. */
export const sealCluster = (cipher: VaultCipher, key: ClusterKey, credential: ClusterCredential): Buffer =>
  cipher.seal(placeOf(key), JSON.stringify(credential))

/**
 * Gives a cycle what opens its cluster, where that is a registered one: into its vault, which the experiment service
 * reads. Does nothing for other names, which mean a context of that service's kubeconfig.
 */
export async function handOverCluster(tx: Tx, cipher: VaultCipher, key: CycleKey, name: string): Promise<void> {
  if (name === 'embedded') return
  const sealed = await selectSealedCluster(tx, name)
  if (!sealed) return
  const text = cipher.open(placeOf({ tenantId: key.tenantId, name }), sealed)
  const credential = clusterCredentialSchema.parse(JSON.parse(text))
  await putInVault(tx, key, cipher, { name: 'cluster', body: { credential } })
}
