import { type TenantId, type Tx } from '@ordeal/shared'
import { type ClusterView } from '../api/contract.js'

/** A registered cluster as it is written down; `sealed` is what opens it. */
export interface ClusterRecord {
  readonly name: string
  readonly server: string
  readonly namespace: string | null
  readonly sealed: Buffer
}

interface ClusterRow {
  name: string
  server: string
  namespace: string | null
  created_at: Date
}

const viewOf = ({ name, server, namespace, created_at }: ClusterRow): ClusterView => ({
  name,
  server,
  namespace,
  createdAt: created_at.toISOString(),
})

/** Null where the tenant has one of this name. */
export async function insertCluster(tx: Tx, tenant: TenantId, cluster: ClusterRecord): Promise<ClusterView | null> {
  const [row] = await tx.query<ClusterRow>(
    `insert into gateway.clusters (tenant_id, name, server, namespace, sealed) values ($1, $2, $3, $4, $5)
     on conflict do nothing returning name, server, namespace, created_at`,
    [tenant, cluster.name, cluster.server, cluster.namespace, cluster.sealed],
  )
  return row ? viewOf(row) : null
}

/** The tenant's clusters by name, without anything that opens them. */
export async function selectClusters(tx: Tx): Promise<ClusterView[]> {
  const rows = await tx.query<ClusterRow>(
    'select name, server, namespace, created_at from gateway.clusters order by name',
  )
  return rows.map(viewOf)
}

/** What opens the cluster of this name, sealed; null where the tenant has none. */
export async function selectSealedCluster(tx: Tx, name: string): Promise<Buffer | null> {
  const [row] = await tx.query<{ sealed: Buffer }>('select sealed from gateway.clusters where name = $1', [name])
  return row?.sealed ?? null
}

/** False where the tenant has none of this name. */
export async function deleteCluster(tx: Tx, name: string): Promise<boolean> {
  const rows = await tx.query('delete from gateway.clusters where name = $1 returning 1', [name])
  return rows.length > 0
}
