import { loadSandbox } from '@ordeal/prober'
import { createEngine } from './engine.js'
import { serveClusters, type EmbeddedServer, type EmbeddedServerOptions } from './server.js'

interface Options extends Omit<EmbeddedServerOptions, 'createEngine'> {
  /** Of each cluster; three unless told otherwise. */
  readonly nodes?: number
}

/** Starts a server of embedded clusters; see `serveClusters`. Rejects when the address is taken. */
export async function createEmbeddedServer({ nodes, ...options }: Options): Promise<EmbeddedServer> {
  // The prober's image runs scripts at once, in virtual time.
  await loadSandbox()
  return serveClusters({ ...options, createEngine: (engine) => createEngine({ ...engine, nodes }) })
}
