import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where local servers find and keep their programs and temporary data. */
export interface LocalServersConfig {
  /** Programs that were fetched or copied; safe to delete while nothing runs. */
  readonly cacheDir: string
  /** Data of temporary servers. */
  readonly tempDir: string
  /** Folders in which an installed nats-server is looked for, in this order. */
  readonly searchPath: readonly string[]
}

/**
 * Reads `ORDEAL_CACHE_DIR`, `XDG_CACHE_HOME`, `TMPDIR` and `PATH`. Root's cache lies in /var/cache, because its Postgres
 * runs as another user, who may not enter root's home.
 */
export function localServersConfig(env: NodeJS.ProcessEnv = process.env): LocalServersConfig {
  return {
    cacheDir: env.ORDEAL_CACHE_DIR || defaultCacheDir(env),
    tempDir: tmpdir(),
    searchPath: (env.PATH ?? '').split(':').filter(Boolean),
  }
}

function defaultCacheDir(env: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return '/var/cache/ordeal'
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'ordeal')
  return join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'ordeal')
}
