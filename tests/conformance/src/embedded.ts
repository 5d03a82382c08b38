import { createEmbeddedServer } from '@ordeal/embedded-cluster'
import { connectCluster, createCluster, deleteCluster } from '@ordeal/kubernetes'
import { type Written } from './read-corpus.js'
import { type Outcome, runScenario } from './run-scenario.js'

/** Embedded clusters of one node, as many as the real one has. */
export interface EmbeddedHost {
  run(written: Written): Promise<Outcome>
  close(): Promise<void>
}

/** Each scenario has a cluster of its own; the same seed gives the same trace. */
export async function startEmbeddedHost(seed: number): Promise<EmbeddedHost> {
  const server = await createEmbeddedServer({ port: 0, host: '127.0.0.1', nodes: 1 })
  return {
    run: async (written) => {
      const target = { kind: 'embedded', serverUrl: server.url, id: written.name, seed } as const
      await createCluster(target)
      try {
        const cluster = await connectCluster(target)
        const namespace = `conf-${written.name}`
        await cluster.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
        const signal = new AbortController().signal
        return await runScenario(written.in(namespace), { cluster, namespace, signal, outside: () => undefined })
      } finally {
        await deleteCluster(target)
      }
    },
    close: () => server.close(),
  }
}
