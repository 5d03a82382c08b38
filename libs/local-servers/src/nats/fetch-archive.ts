import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const FETCH_MS = 60_000

/** Downloads a release archive, refuses it when its checksum differs from the pinned one, and unpacks its nats-server. */
export async function fetchArchive(folder: string, archive?: { url: string; sha256: string }): Promise<string> {
  if (!archive) throw new Error(`there is none for ${process.platform}-${process.arch}`)
  const response = await fetch(archive.url, { signal: AbortSignal.timeout(FETCH_MS) }).catch((error: Error) => {
    throw new Error(error.cause instanceof Error ? error.cause.message : error.message)
  })
  if (!response.ok) throw new Error(`${archive.url} answered ${response.status}`)
  const body = Buffer.from(await response.arrayBuffer())
  const sha256 = createHash('sha256').update(body).digest('hex')
  if (sha256 !== archive.sha256) throw new Error(`${archive.url} has the checksum ${sha256}, not the pinned one`)
  const file = join(folder, 'archive.tar.gz')
  await writeFile(file, body)
  await run('tar', ['-xzf', file, '-C', folder])
  const unpacked = (await readdir(folder)).find((name) => name.startsWith('nats-server-v'))
  if (!unpacked) throw new Error(`${archive.url} holds no nats-server`)
  return join(folder, unpacked, 'nats-server')
}
