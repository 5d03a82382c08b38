import { type Dirent } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type Bundle, InputError } from '@ordeal/shared'
import { bundleFile, isIgnored, isTaken, LIMITS, megabytes } from './bundle-limits.js'
import { isArchive, readArchive } from './read-archive.js'

/** A file that speaks for its whole folder. */
const FOLDER_FILES = /^(skaffold\.ya?ml|kustomization\.ya?ml|Kustomization|Chart\.yaml)$/

const NARROW = 'Name the folder that holds the manifests'

/** A file that was found, on disk or in an archive; its path is relative to the input. */
export interface FoundFile {
  readonly path: string
  readonly size: number
  readonly read: () => Promise<Buffer>
}

/**
 * Reads a user's files from disk: a file, a folder with all below it, an archive, or several files, in order of path.
 * Files that are no text are left out, unless they should be manifests. Throws InputError when there is nothing to read,
 * or too much.
 */
export async function readBundle(path: string | readonly string[]): Promise<Bundle> {
  if (typeof path === 'string') return bundleOf(await filesAt(path), path)
  if (path.length === 1 && path[0] !== undefined) return readBundle(path[0])
  return bundleOf(await severalFiles(path), path[0] ?? '.')
}

async function filesAt(path: string): Promise<FoundFile[]> {
  const info = await stat(path).catch((error: unknown) => refuse(path, error))
  if (info.isDirectory()) return walk(path)
  if (!info.isFile()) throw new InputError('neither a file nor a folder', path)
  if (isArchive(path)) return readArchive(path, await bytesOf(path, info.size))
  if (FOLDER_FILES.test(basename(path))) return walk(dirname(path))
  return [onDisk(basename(path), path, info.size)]
}

async function bytesOf(path: string, size: number): Promise<Buffer> {
  if (size <= LIMITS.archiveBytes) return readFile(path).catch((e: unknown) => refuse(path, e))
  throw new InputError(
    `${megabytes(size)} is too large for an archive; at most ${megabytes(LIMITS.archiveBytes)}`,
    path,
  )
}

/** Their paths are relative to the folder that all of them have in common. */
async function severalFiles(paths: readonly string[]): Promise<FoundFile[]> {
  const absolute = [...new Set(paths.map((path) => resolve(path)))].sort()
  const common = absolute.map(dirname).reduce(commonFolder)
  return Promise.all(
    absolute.map(async (path) => {
      const info = await stat(path).catch((error: unknown) => refuse(path, error))
      if (!info.isFile() || isArchive(path) || FOLDER_FILES.test(basename(path))) {
        throw new InputError('only manifest files can be given together', path, 'Give one folder or archive alone')
      }
      return onDisk(relative(common, path).split(sep).join('/'), path, info.size)
    }),
  )
}

function commonFolder(a: string, b: string): string {
  const [left, right] = [a.split(sep), b.split(sep)]
  const differs = left.findIndex((part, i) => part !== right[i])
  return left.slice(0, differs < 0 ? left.length : differs).join(sep) || sep
}

const onDisk = (path: string, absolute: string, size: number): FoundFile => ({
  path,
  size,
  read: () => readFile(absolute).catch((e: unknown) => refuse(path, e)),
})

function refuse(path: string, error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') throw new InputError('there is no such file or folder', path)
  if (code === 'EACCES' || code === 'EPERM') throw new InputError('it may not be read', path, 'Check its permissions')
  throw new InputError(`it cannot be read (${code ?? message})`, path)
}

async function walk(root: string): Promise<FoundFile[]> {
  const real = await realpath(root)
  const found: FoundFile[] = []
  let entries = 0
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > LIMITS.depth) throw new InputError(`folders are nested deeper than ${LIMITS.depth}`, folder)
    const list = await readdir(join(real, folder), { withFileTypes: true }).catch((e: unknown) =>
      refuse(join(root, folder), e),
    )
    entries += list.length
    if (entries > LIMITS.entries) throw new InputError('too many files', root, NARROW)
    for (const entry of list.sort((a, b) => (a.name < b.name ? -1 : 1))) await take(entry, folder, depth)
  }
  const take = async (entry: Dirent, folder: string, depth: number): Promise<void> => {
    const path = join(folder, entry.name)
    if (isIgnored(entry.name)) return
    if (entry.isDirectory()) return visit(path, depth + 1)
    const absolute = join(real, path)
    if (entry.isFile() || (entry.isSymbolicLink() && (await isFileInside(real, absolute, path)))) {
      const { size } = await stat(absolute).catch((e: unknown) => refuse(path, e))
      found.push(onDisk(path.split(sep).join('/'), absolute, size))
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

async function bundleOf(found: readonly FoundFile[], root: string): Promise<Bundle> {
  const files: Bundle['files'] = []
  let total = 0
  for (const { path, size, read } of found) {
    if (!isTaken(path, size)) continue
    const bytes = await read()
    const file = bundleFile(path, bytes)
    if (file === null) continue
    files.push(file)
    total += bytes.length
    if (total > LIMITS.totalBytes) {
      throw new InputError(`more than ${megabytes(LIMITS.totalBytes)} of files`, root, NARROW)
    }
    if (files.length > LIMITS.files) throw new InputError(`more than ${LIMITS.files} files`, root, NARROW)
  }
  if (files.length) return { files }
  throw new InputError('the folder is empty: there is no manifest in it', root, 'Name the folder that holds them')
}
