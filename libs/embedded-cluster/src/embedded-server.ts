import { loadSandbox } from '@ordeal/prober'
import { createEngine } from './engine.js'
import { serveClusters, type EmbeddedServer, type EmbeddedServerOptions } from './server.js'

/** Starts a server of embedded clusters; see `serveClusters`. Rejects when the address is taken. */
export async function createEmbeddedServer(
  options: Omit<EmbeddedServerOptions, 'createEngine'>,
): Promise<EmbeddedServer> {
  // The prober's image runs scripts at once, in virtual time.
  await loadSandbox()
  return serveClusters({ ...options, createEngine })
}
