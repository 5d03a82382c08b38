import { clusterSchema } from '@ordeal/shared'
import { type Sandbox } from './open-sandbox.js'

/** Keeps for the report which cluster the cycle runs on, and what that has taken for granted until now. */
export async function recordCluster({ cluster, context, ...sandbox }: Sandbox): Promise<void> {
  const { kind, version } = cluster
  const assumptions = [...(await sandbox.assumptions())]
  await context.artefacts.put('cluster', clusterSchema.parse({ kind, version, assumptions }), { name: 'cluster' })
}
