import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { coerceError, InputError } from '@ordeal/shared'
import { type Extract, extract } from 'tar-stream'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { isIgnored, isTaken, LIMITS, megabytes } from './bundle-limits.js'
import { type FoundFile } from './read-bundle.js'

const TAR = /\.(tar|tgz|tar\.gz)$/i
const ZIP = /\.zip$/i

export const isArchive = (path: string): boolean => TAR.test(path) || ZIP.test(path)

/**
 * The files of an archive, in order of path, without the one folder that holds all of them. Nothing is written to disk.
 * Throws InputError for a path or link that leads out of it, and for one that is broken or unpacks beyond its bounds.
 */
export async function readArchive(path: string, bytes: Buffer): Promise<FoundFile[]> {
  const unpacked = new Unpacked(path, bytes.length)
  try {
    await (ZIP.test(path) ? unzip(bytes, unpacked) : untar(bytes, unpacked))
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(`the archive cannot be read: ${coerceError(error).message}`, path, 'Pack it again')
  }
  return unpacked.files()
}

/** What came out of an archive so far, and the bounds that it must keep. */
class Unpacked {
  private readonly contents = new Map<string, Buffer>()
  private readonly links = new Map<string, string>()
  private entries = 0
  private total = 0

  constructor(
    private readonly archive: string,
    private readonly packed: number,
  ) {}

  /** The entry's path where it is wanted, else null. Throws InputError when it must not be there. */
  admit(name: string): string | null {
    this.entries += 1
    if (this.entries > LIMITS.entries) this.refuse('too many files')
    const path = posix.normalize(name.replace(/^(\.\/)+/, ''))
    if (/^([/\\]|[a-z]:)/i.test(name) || /[\\\0]/.test(name) || path.split('/').includes('..')) {
      this.refuse(`the path '${name}' leads out of it`)
    }
    const parts = path.split('/')
    if (parts.length > LIMITS.depth + 1) this.refuse(`folders are nested deeper than ${LIMITS.depth}`)
    return parts.some(isIgnored) ? null : path
  }

  /** All bytes of an entry; null, and only counted, when it is none of a bundle. */
  async take(path: string | null, content: AsyncIterable<unknown>): Promise<void> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of content as AsyncIterable<Buffer>) {
      size += chunk.length
      this.count(chunk.length)
      if (path !== null && isTaken(path, size)) chunks.push(chunk)
      else chunks.length = 0
    }
    if (path === null || !isTaken(path, size)) return
    if (this.contents.has(path)) this.refuse(`'${path}' is there twice`)
    this.contents.set(path, Buffer.concat(chunks))
  }

  link(path: string, target: string): void {
    const resolved = posix.normalize(target)
    if (posix.isAbsolute(target) || resolved.split('/')[0] === '..') this.refuse(`the link '${path}' leads out of it`)
    this.links.set(path, resolved)
  }

  refuse(message: string): never {
    throw new InputError(message, this.archive)
  }

  /** A link to a file is read like a file; one to a folder, or to nothing, adds nothing. */
  files(): FoundFile[] {
    for (const [path, target] of this.links) {
      const content = this.contents.get(target)
      if (content) this.contents.set(path, content)
    }
    const top = this.topFolder()
    return [...this.contents]
      .map(([path, content]) => ({
        path: path.slice(top.length),
        size: content.length,
        read: () => Promise.resolve(content),
      }))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  private topFolder(): string {
    const firsts = new Set([...this.contents.keys()].map((path) => path.slice(0, path.indexOf('/') + 1)))
    const [first] = firsts
    return firsts.size === 1 && first ? first : ''
  }

  private count(bytes: number): void {
    this.total += bytes
    if (this.total > LIMITS.unpackedBytes) this.refuse(`it unpacks to more than ${megabytes(LIMITS.unpackedBytes)}`)
    const allowed = Math.max(LIMITS.totalBytes, this.packed * LIMITS.ratio)
    if (this.total > allowed) this.refuse(`it unpacks to more than ${LIMITS.ratio} times its size`)
  }
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

async function untar(bytes: Buffer, unpacked: Unpacked): Promise<void> {
  const source = Readable.from(chunksOf(bytes))
  const plain = isGzip(bytes) ? source.pipe(createGunzip()) : source
  const entries = extract()
  plain.on('error', (error: Error) => entries.destroy(error))
  plain.pipe(entries)
  for await (const entry of entries) await takeTarEntry(entry, unpacked)
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

type TarEntry = Extract extends AsyncIterable<infer E> ? E : never

const FILES: readonly unknown[] = ['file', 'contiguous-file']

async function takeTarEntry(entry: TarEntry, unpacked: Unpacked): Promise<void> {
  const { name, type } = entry.header
  const path = unpacked.admit(name)
  if (type === 'symlink' || type === 'link') unpacked.link(path ?? name, linkTarget(entry.header))
  else if (type !== 'directory' && !FILES.includes(type)) unpacked.refuse(`'${name}' is a ${type ?? 'riddle'}, no file`)
  await unpacked.take(FILES.includes(type) ? path : null, entry)
}

/** A hard link names its target from the root, a symbolic one from where it lies. */
function linkTarget({ name, type, linkname }: TarEntry['header']): string {
  const target = linkname ?? ''
  return type === 'link' || posix.isAbsolute(target) ? target : posix.join(posix.dirname(name), target)
}

async function unzip(bytes: Buffer, unpacked: Unpacked): Promise<void> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true, validateEntrySizes: true })
  for await (const entry of zip.eachEntry()) await takeZipEntry(zip, entry, unpacked)
}

const UNIX_TYPE = 0o170000
const UNIX_LINK = 0o120000

async function takeZipEntry(zip: ZipFile, entry: Entry, unpacked: Unpacked): Promise<void> {
  const path = unpacked.admit(entry.fileName)
  if (entry.fileName.endsWith('/')) return
  if (entry.isEncrypted()) unpacked.refuse(`'${entry.fileName}' is encrypted`)
  const content = (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>
  if (((entry.externalFileAttributes >>> 16) & UNIX_TYPE) !== UNIX_LINK) return unpacked.take(path, content)
  const target = await shortText(content)
  unpacked.link(
    path ?? entry.fileName,
    posix.isAbsolute(target) ? target : posix.join(posix.dirname(entry.fileName), target),
  )
}

/** A link's target: a path, so no longer than one can be. */
async function shortText(content: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of content) {
    text += chunk.toString()
    if (text.length > 4096) break
  }
  return text
}
