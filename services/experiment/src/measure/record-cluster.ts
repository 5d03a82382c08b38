import { clusterSchema, type PhaseContext } from '@ordeal/shared'
import { type Cluster } from '@ordeal/kubernetes'

const FORECAST = 'simulated on the embedded cluster: the outcome is a forecast, not a test of the real thing'

/** Keeps for the report which cluster the cycle ran on. */
export async function recordCluster(context: PhaseContext, { kind, version }: Cluster): Promise<void> {
  const assumptions = kind === 'embedded' ? [FORECAST] : []
  await context.artefacts.put('cluster', clusterSchema.parse({ kind, version, assumptions }), { name: 'cluster' })
}
