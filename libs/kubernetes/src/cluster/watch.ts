import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeConfig } from '@kubernetes/client-node'
import { clientLibrary } from './transport.js'
import { type WatchPath } from './wall-clock.js'

const RECONNECT_MS = 250

/**
 * Watches through the client library. Each connection starts with what is there, so nothing between two connections is
 * missed; a connection that ends or fails is opened again until the signal aborts.
 */
export async function createWatch(config: KubeConfig): Promise<WatchPath> {
  const { Watch } = await clientLibrary()
  const once = async (path: string, changed: () => void, signal: AbortSignal): Promise<void> => {
    const [bare = path, search = ''] = path.split('?')
    const parameters = Object.fromEntries(new URLSearchParams(search))
    const ended = Promise.withResolvers<void>()
    const connection = await new Watch(config).watch(bare, parameters, changed, () => ended.resolve())
    const abort = () => connection.abort()
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    await ended.promise
    signal.removeEventListener('abort', abort)
  }
  const follow = async (path: string, changed: () => void, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await once(path, changed, signal).catch(() => undefined)
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined)
    }
  }
  return (path, changed, signal) => void follow(path, changed, signal)
}
