import { createEngine } from './engine.js'
import { serveClusters, type EmbeddedServer, type EmbeddedServerOptions } from './server.js'

/** Starts a server of embedded clusters; see `serveClusters`. Rejects when the address is taken. */
export function createEmbeddedServer(options: Omit<EmbeddedServerOptions, 'createEngine'>): Promise<EmbeddedServer> {
  return serveClusters({ ...options, createEngine })
}
