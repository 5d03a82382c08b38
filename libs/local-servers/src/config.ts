import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where local servers find and keep their programs and temporary data. */
export interface LocalServersConfig {
  /** Programs that were fetched or copied; safe to delete while nothing runs. */
  readonly cacheDir: string
  /** Data that outlive a server, one folder each, for callers that have no better place. */
  readonly stateDir: string
  /** Data of temporary servers. */
  readonly tempDir: string
  /** Folders in which an installed nats-server is looked for, in this order. */
  readonly searchPath: readonly string[]
}

/**
 * Reads `ORDEAL_CACHE_DIR`, `ORDEAL_STATE_DIR`, `XDG_CACHE_HOME`, `XDG_STATE_HOME`, `TMPDIR` and `PATH`. Root's folders
 * lie below /var, because its servers run as another user, who may not enter root's home.
 */
export function localServersConfig(env: NodeJS.ProcessEnv = process.env): LocalServersConfig {
  const root = process.getuid?.() === 0
  return {
    cacheDir: env.ORDEAL_CACHE_DIR || (root ? '/var/cache/ordeal' : userFolder(env.XDG_CACHE_HOME, '.cache', 'Caches')),
    stateDir:
      env.ORDEAL_STATE_DIR ||
      (root ? '/var/lib/ordeal' : userFolder(env.XDG_STATE_HOME, '.local/state', 'Application Support')),
    tempDir: tmpdir(),
    searchPath: (env.PATH ?? '').split(':').filter(Boolean),
  }
}

function userFolder(xdg: string | undefined, linux: string, macos: string): string {
  if (xdg) return join(xdg, 'ordeal')
  return join(homedir(), process.platform === 'darwin' ? `Library/${macos}` : linux, 'ordeal')
}
