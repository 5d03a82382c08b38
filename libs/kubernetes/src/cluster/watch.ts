import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeConfig } from '@kubernetes/client-node'
import { clientLibrary } from './transport.js'
import { type ClusterObject } from './object.js'

const RECONNECT_MS = 250

/** A change as a watch tells it. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: ClusterObject
  /** When it was told, in ms of the cluster's time: virtual on an embedded cluster. */
  readonly at: number
}

/**
 * Tells of every change below an API path until aborted, beginning with what is there. After a broken connection it
 * begins anew: objects may be told twice, and deletions in between are not told at all.
 */
export type Follow = (path: string, told: (event: WatchEvent) => void, signal: AbortSignal) => void

const CHANGES: ReadonlySet<string> = new Set(['ADDED', 'MODIFIED', 'DELETED'] satisfies WatchEvent['type'][])

/**
 * Watches through the client library. Each connection starts with what is there, so nothing between two connections is
 * missed; a connection that ends or fails is opened again until the signal aborts.
 */
export async function createWatch(config: KubeConfig): Promise<Follow> {
  const { Watch } = await clientLibrary()
  const once = async (path: string, told: (event: WatchEvent) => void, signal: AbortSignal): Promise<void> => {
    const [bare = path, search = ''] = path.split('?')
    const parameters = Object.fromEntries(new URLSearchParams(search))
    const ended = Promise.withResolvers<void>()
    const change = (type: string, object: ClusterObject, line?: { at?: number }) => {
      if (CHANGES.has(type)) told({ type: type as WatchEvent['type'], object, at: line?.at ?? Date.now() })
    }
    const connection = await new Watch(config).watch(bare, parameters, change, () => ended.resolve())
    const abort = () => connection.abort()
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    await ended.promise
    signal.removeEventListener('abort', abort)
  }
  const follow = async (path: string, told: (event: WatchEvent) => void, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await once(path, told, signal).catch(() => undefined)
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined)
    }
  }
  return (path, told, signal) => void follow(path, told, signal)
}
