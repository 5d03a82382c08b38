import { type Dirent } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { type Bundle, InputError } from '@ordeal/shared'

const MiB = 1024 * 1024
/** Bounds of an input. A manifest over its bound is an error; another file over it is left out. */
const LIMITS = {
  manifestBytes: 5 * MiB,
  otherBytes: MiB / 4,
  totalBytes: 20 * MiB,
  files: 5000,
  entries: 50_000,
  depth: 24,
}

const IGNORED = new Set(['.git', 'node_modules', '.terraform', '.venv', '__pycache__'])
/** A file that speaks for its whole folder. */
const FOLDER_FILES = /^(skaffold\.ya?ml|kustomization\.ya?ml|Kustomization|Chart\.yaml)$/
const ARCHIVE = /\.(tar|tgz|tar\.gz|zip)$/i
const MANIFEST = /\.(ya?ml|json)$/i

interface Found {
  readonly path: string
  readonly absolute: string
}

/**
 * Reads a user's files from disk: a file, or a folder with all below it, in order of path. Files that are no text are
 * left out, unless they should be manifests. Throws InputError when there is nothing to read, or too much.
 */
export async function readBundle(path: string): Promise<Bundle> {
  const info = await stat(path).catch((error: unknown) => refuse(path, error))
  if (info.isDirectory()) return bundleOf(await walk(path), path)
  if (!info.isFile()) throw new InputError('neither a file nor a folder', path)
  if (ARCHIVE.test(path)) throw new InputError('archives cannot be read yet; that comes later', path, 'Unpack it first')
  if (FOLDER_FILES.test(basename(path))) return readBundle(dirname(path))
  return bundleOf([{ path: basename(path), absolute: path }], path)
}

function refuse(path: string, error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') throw new InputError('there is no such file or folder', path)
  if (code === 'EACCES' || code === 'EPERM') throw new InputError('it may not be read', path, 'Check its permissions')
  throw new InputError(`it cannot be read (${code ?? message})`, path)
}

async function walk(root: string): Promise<Found[]> {
  const real = await realpath(root)
  const found: Found[] = []
  let entries = 0
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > LIMITS.depth) throw new InputError(`folders are nested deeper than ${LIMITS.depth}`, folder)
    const list = await readdir(join(real, folder), { withFileTypes: true }).catch((e: unknown) =>
      refuse(join(root, folder), e),
    )
    entries += list.length
    if (entries > LIMITS.entries)
      throw new InputError('too many files', root, 'Name the folder that holds the manifests')
    for (const entry of list.sort((a, b) => (a.name < b.name ? -1 : 1))) await take(entry, folder, depth)
  }
  const take = async (entry: Dirent, folder: string, depth: number): Promise<void> => {
    const path = join(folder, entry.name)
    if (IGNORED.has(entry.name)) return
    if (entry.isDirectory()) return visit(path, depth + 1)
    const absolute = join(real, path)
    if (entry.isFile() || (entry.isSymbolicLink() && (await isFileInside(real, absolute, path)))) {
      found.push({ path: path.split(sep).join('/'), absolute })
    }
  }
  await visit('', 0)
  return found
}

/** A link to a file of the same folder is read like a file; one to a folder adds nothing, for the folder is walked. */
async function isFileInside(root: string, link: string, path: string): Promise<boolean> {
  const target = await realpath(link).catch(() => null)
  if (target === null) return false
  if (!target.startsWith(root + sep)) throw new InputError('the link leads out of the folder', path, 'Copy the file in')
  return (await stat(target)).isFile()
}

async function bundleOf(found: readonly Found[], root: string): Promise<Bundle> {
  const files: { path: string; content: string }[] = []
  let total = 0
  for (const file of found) {
    const bytes = await bytesOf(file)
    const content = bytes && textOf(file.path, bytes)
    if (bytes === null || content === null) continue
    files.push({ path: file.path, content })
    total += bytes.length
    if (total > LIMITS.totalBytes)
      throw new InputError(`more than ${LIMITS.totalBytes / MiB} MB of files`, root, NARROW)
    if (files.length > LIMITS.files) throw new InputError(`more than ${LIMITS.files} files`, root, NARROW)
  }
  if (!files.length)
    throw new InputError('the folder is empty: there is no manifest in it', root, 'Name the folder that holds them')
  return { files }
}

const NARROW = 'Name the folder that holds the manifests'

async function bytesOf(file: Found): Promise<Buffer | null> {
  const { size } = await stat(file.absolute).catch((e: unknown) => refuse(file.path, e))
  const isManifest = MANIFEST.test(file.path)
  if (size > (isManifest ? LIMITS.manifestBytes : LIMITS.otherBytes)) {
    if (!isManifest) return null
    const message = `${(size / MiB).toFixed(1)} MB is too large for a manifest; at most ${LIMITS.manifestBytes / MiB} MB`
    throw new InputError(message, file.path, 'Leave out what is no manifest, or split it')
  }
  return readFile(file.absolute).catch((e: unknown) => refuse(file.path, e))
}

/** The text of a file, byte order mark kept; null for what is no text and no manifest either. */
function textOf(path: string, bytes: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Not UTF-8: told below for manifests.
  }
  if (MANIFEST.test(path)) throw new InputError('not UTF-8 text', path, 'Save it as UTF-8')
  return null
}
