import { TerminalError } from '@ordeal/shared'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localServersConfig, type LocalServersConfig } from '../config.js'
import { freePort } from '../free-port.js'
import { openStorage, type OpenStorage, type Storage } from '../storage.js'
import { superviseProcess } from '../supervised-process.js'
import { postgresBinaries, type PostgresBinaries } from './binaries.js'
import { serverUser, userCan, type ServerUser } from './server-user.js'

/** A Postgres that listens on the loopback address only. */
export interface PostgresServer {
  /** Connects as the superuser, password included: not for logs. */
  readonly adminUrl: string
  /** Ends connections and server; resolves when temporary data are gone too. Safe to call again. */
  readonly stop: () => Promise<void>
}

interface Place {
  readonly storage: OpenStorage
  readonly data: string
  readonly passwordFile: string
  readonly user: ServerUser | null
  readonly binaries: PostgresBinaries
}

const ADMIN = 'ordeal_admin'
const PORT_TRIES = 5
/**
 * Under the supervisor from the first moment, so that nothing is left when this process is killed meanwhile. The data
 * folder appears under its name only when it is complete. Runs where Ctrl-C is ignored, hence TERM.
 */
const INITIALISE_AND_RUN = `
if [ ! -e "$DATA" ]; then
  rm -rf -- "$DATA.new"
  umask 077
  printf '%s\\n' "$PASSWORD" >"$PASSWORD_FILE"
  "$INITDB" -D "$DATA.new" --username=${ADMIN} --auth=scram-sha-256 --pwfile="$PASSWORD_FILE" $INITDB_SYNC \\
    --encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 >&2 &
  trap 'kill -s TERM $!; wait $!; exit 1' TERM
  wait $! || exit 1
  trap - TERM
  mv -- "$DATA.new" "$DATA"
fi
unset PASSWORD
exec "$@"
`
/** Unsafe when the machine dies; the data of a temporary server would not outlive that anyway. */
const TEMPORARY_SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
/** Five services, their plumbing and a test run's workers, each with a pool. */
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200', 'log_timezone=UTC']

/**
 * Starts Postgres on `port` (default: any free one) and resolves when it accepts connections; the data folder is made on
 * the first start. Throws TerminalError: `server-unavailable` where it cannot run on this machine, `server-failed` with
 * the last lines of its log when it does not come up.
 */
export async function startPostgres(
  options: Storage & { port?: number },
  config: LocalServersConfig = localServersConfig(),
): Promise<PostgresServer> {
  return attempt(options, config, options.port ? 1 : PORT_TRIES)
}

/** Postgres cannot choose a free port itself, so one that was free a moment ago may be taken: then all is tried again. */
async function attempt(
  options: Storage & { port?: number },
  config: LocalServersConfig,
  triesLeft: number,
): Promise<PostgresServer> {
  const place = await openPlace(options, config)
  try {
    return await started(place, await adminPassword(place), options.port ?? (await freePort()))
  } catch (error) {
    const taken = error instanceof TerminalError && error.message.includes('Address already in use')
    if (!taken || triesLeft <= 1) throw error
    return attempt(options, config, triesLeft - 1)
  }
}

async function openPlace(storage: Storage, config: LocalServersConfig): Promise<Place> {
  const user = await serverUser()
  const binaries = await postgresBinaries(user, config.cacheDir)
  const opened = await openStorage(storage, { parent: config.tempDir, name: 'postgres' }, user)
  const folder = opened.temporaryDir ? config.tempDir : opened.dir
  if (!(await userCan(user, '-w', folder))) {
    throw new TerminalError(
      'server-unavailable',
      `Postgres runs as user ${user?.name ?? ''} because it refuses to run as root, and that user may not write to ` +
        `${folder}. Choose a folder outside of private homes, such as one below /var/lib`,
    )
  }
  const { dir } = opened
  return { storage: opened, data: join(dir, 'data'), passwordFile: join(dir, 'admin-password'), user, binaries }
}

/** The superuser's password: the one that the data folder was made with, or a new one for a folder yet to be made. */
async function adminPassword({ data, passwordFile }: Place): Promise<string> {
  return existsSync(data) ? (await readFile(passwordFile, 'utf8')).trim() : randomBytes(24).toString('base64url')
}

async function started(place: Place, password: string, port: number): Promise<PostgresServer> {
  const settings = [...SETTINGS, ...(place.storage.temporaryDir ? TEMPORARY_SETTINGS : []), `port=${port}`]
  const server = await superviseProcess({
    name: 'Postgres',
    program: '/bin/sh',
    args: [
      '-c',
      INITIALISE_AND_RUN,
      'sh',
      place.binaries.postgres,
      '-D',
      place.data,
      ...settings.flatMap((s) => ['-c', s]),
    ],
    env: {
      LC_ALL: 'C',
      INITDB: place.binaries.initdb,
      INITDB_SYNC: place.storage.temporaryDir ? '--no-sync' : '',
      DATA: place.data,
      PASSWORD: password,
      PASSWORD_FILE: place.passwordFile,
    },
    user: place.user,
    stopSignals: ['TERM', 'INT'],
    temporaryDir: place.storage.temporaryDir,
    ready: (line) => (line.includes('database system is ready to accept connections') ? line : null),
  })
  return { adminUrl: `postgres://${ADMIN}:${password}@127.0.0.1:${port}/postgres`, stop: server.stop }
}
