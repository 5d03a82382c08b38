import pg from 'pg'
import { type Logger } from '../logging/logger.js'

/** A subscription to a notification channel. */
export interface Listener {
  close(): Promise<void>
}

interface ListenOptions {
  readonly onNotify: (payload: string) => void
  readonly log: Logger
}

const RECONNECT_MS = 500

/**
 * LISTENs on a connection of its own and comes back after an outage. Notifications wake people up sooner; nothing may
 * depend on them, so `onNotify('')` is called after each (re)connection in place of those that were missed.
 */
export function listenOn(connect: pg.ClientConfig, channel: string, { onNotify, log }: ListenOptions): Listener {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const again = (reason: string): void => {
    if (closed || timer) return
    log.debug('listening again after a lost connection', { channel, reason })
    timer = setTimeout(() => {
      timer = undefined
      void start()
    }, RECONNECT_MS)
  }

  const start = async (): Promise<void> => {
    const next = new pg.Client({ ...connect, keepAlive: true, connectionTimeoutMillis: 5000 })
    client = next
    next.on('error', (error) => again(error.message))
    next.on('end', () => again('ended'))
    next.on('notification', ({ payload }) => onNotify(payload ?? ''))
    try {
      await next.connect()
      await next.query(`listen ${pg.escapeIdentifier(channel)}`)
      onNotify('')
    } catch (error) {
      again((error as Error).message)
    }
    if (closed) await next.end().catch(() => undefined)
  }

  const started = start()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      await started
      await client?.end().catch(() => undefined)
    },
  }
}
