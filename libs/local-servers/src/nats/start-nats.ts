import { rm, writeFile } from 'node:fs/promises'
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
/** The server's default, written out because the production servers must have the same. */
const MAX_PAYLOAD_BYTES = 1_048_576

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
  const storage = await openStorage(options, config.tempDir, 'nats')
  try {
    const settings = join(storage.dir, 'nats-server.conf')
    await writeFile(settings, natsSettings(storage.dir, options.port ?? ANY_PORT))
    let port = 0
    const server = await superviseProcess({
      name: 'nats-server',
      program,
      args: ['--config', settings],
      cwd: storage.dir,
      stopSignal: 'TERM',
      removeAtEnd: storage.removeAtEnd,
      ready: (line) => {
        port ||= Number(/Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? 0)
        return line.includes('Server is ready') ? String(port) : null
      },
    })
    return { url: `nats://127.0.0.1:${server.ready}`, stop: server.stop }
  } catch (error) {
    if (storage.removeAtEnd) await rm(storage.removeAtEnd, { recursive: true, force: true })
    throw error
  }
}

/** The configuration file; JSON is a subset of its syntax. */
function natsSettings(dir: string, port: number): string {
  const settings = {
    host: '127.0.0.1',
    port,
    server_name: 'ordeal-local',
    max_payload: MAX_PAYLOAD_BYTES,
    jetstream: { store_dir: join(dir, 'jetstream') },
    logtime: false,
  }
  return JSON.stringify(settings, null, 2)
}
