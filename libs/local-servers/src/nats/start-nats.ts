import { join } from 'node:path'
import { localServersConfig, type LocalServersConfig } from '../config.js'
import { openStorage, type Storage } from '../storage.js'
import { superviseProcess } from '../supervised-process.js'
import { findNatsServer } from './find-server.js'

/** A NATS server with JetStream on files, that listens on the loopback address only. */
export interface NatsServer {
  readonly url: string
  /** Ends the server; resolves when temporary data are gone too. Safe to call again. */
  readonly stop: () => Promise<void>
}

/** Chosen by the server, which tells it in its log. */
const ANY_PORT = -1
/**
 * Starts nats-server on `port` (default: any free one) and resolves when it is ready. Two servers must not share a
 * folder: NATS does not lock it. Throws TerminalError: `server-unavailable` where no server can be found or fetched,
 * `server-failed` with the last lines of its log when it does not come up.
 */
export async function startNats(
  options: Storage & { port?: number },
  config: LocalServersConfig = localServersConfig(),
): Promise<NatsServer> {
  const program = await findNatsServer(config)
  const { dir, temporaryDir } = await openStorage(options, { parent: config.tempDir, name: 'nats' })
  let port = 0
  const server = await superviseProcess({
    name: 'nats-server',
    program,
    // Everything else is as by default, in production too: messages of 1 MiB at most, for instance.
    args: [
      ...['--addr', '127.0.0.1', '--port', String(options.port ?? ANY_PORT), '--server_name', 'ordeal-local'],
      ...['--jetstream', '--store_dir', join(dir, 'jetstream'), '--logtime=false'],
    ],
    stopSignals: ['TERM'],
    temporaryDir,
    ready: (line) => {
      port ||= Number(/Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? 0)
      return line.includes('Server is ready') ? String(port) : null
    },
  })
  return { url: `nats://127.0.0.1:${server.ready}`, stop: server.stop }
}
