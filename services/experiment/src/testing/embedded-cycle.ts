import { createEmbeddedServer } from '@ordeal/embedded-cluster'
import { newCycleId, type CycleId, type CycleOptions } from '@ordeal/shared'
import { startCycle, type Application, type Cycle } from './cycle.js'

/** A cycle on an embedded server of its own. */
export interface EmbeddedCycle extends Cycle {
  /** Ids of the clusters that the server holds. */
  clusters(): Promise<string[]>
  close(): Promise<void>
}

export async function startEmbeddedCycle(
  app: Application,
  {
    seed = 1,
    cycleId = newCycleId(),
    options,
  }: { seed?: number; cycleId?: CycleId; options?: Partial<CycleOptions> } = {},
): Promise<EmbeddedCycle> {
  const server = await createEmbeddedServer({ host: '127.0.0.1', port: 0 })
  const cycle = await startCycle(app, {
    settings: { embeddedUrl: server.url, kubeconfig: null },
    target: { kind: 'embedded', serverUrl: server.url, id: cycleId, seed },
    cycleId,
    seed,
    options,
  })
  return {
    ...cycle,
    clusters: async () => {
      const { clusters } = (await (await fetch(`${server.url}/clusters`)).json()) as { clusters: { id: string }[] }
      return clusters.map((cluster) => cluster.id)
    },
    close: () => server.close(),
  }
}
