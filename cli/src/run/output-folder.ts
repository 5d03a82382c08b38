import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { z } from 'zod'
import { coerceError } from '@ordeal/shared'
import { UsageError } from '../errors.js'

/** The list of what an earlier run wrote; it lies among the results, and only what it names is ever replaced. */
const LIST = 'artefacts/index.json'
const listSchema = z.object({
  schema: z.literal('ordeal.files/v1'),
  files: z.array(z.string()),
  artefacts: z.array(z.unknown()),
})
const OWN_FOLDERS = ['improved', 'artefacts']
const OWN_FILES = ['results.json', 'report.html', 'report.md', 'junit.xml', 'findings.sarif', 'changes.patch']

const isWithin = (inner: string, outer: string): boolean => {
  const path = relative(outer, inner)
  return path === '' || (!path.startsWith(`..${sep}`) && path !== '..' && !isAbsolute(path))
}

/** The real path of something that may not be there yet. */
async function realPathOf(path: string): Promise<string> {
  if (existsSync(path)) return realpath(path)
  return dirname(path) === path ? path : join(await realPathOf(dirname(path)), basename(path))
}

async function filesUnder(dir: string): Promise<string[]> {
  if (!existsSync(dir)) return []
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
}

async function earlierFiles(dir: string): Promise<Set<string>> {
  try {
    const list = listSchema.parse(JSON.parse(await readFile(join(dir, LIST), 'utf8')))
    return new Set([...list.files, LIST])
  } catch {
    return new Set()
  }
}

async function refuseForeign(dir: string, own: ReadonlySet<string>): Promise<void> {
  const present = OWN_FILES.map((name) => join(dir, name)).filter((path) => existsSync(path))
  for (const folder of OWN_FOLDERS) present.push(...(await filesUnder(join(dir, folder))))
  const foreign = present.map((path) => relative(dir, path)).find((path) => !own.has(path))
  if (foreign === undefined) return
  throw new UsageError(
    `--out ${dir} holds ${foreign}, which Ordeal did not write and will not replace`,
    'Choose another directory with --out, or move the file away',
  )
}

async function refuseOverlap(dir: string, input: string): Promise<void> {
  const [out, source] = [await realPathOf(dir), await realPathOf(input)]
  if (isWithin(out, source)) {
    const beside = join(dirname(source), 'ordeal-out')
    throw new UsageError(`--out ${dir} lies inside the input ${input}`, `Write the results elsewhere: --out ${beside}`)
  }
  if (OWN_FOLDERS.some((folder) => isWithin(source, join(out, folder)))) {
    throw new UsageError(`the input ${input} lies among the results in ${dir}`, 'Choose another directory with --out')
  }
}

async function refuseNoParent(dir: string): Promise<void> {
  const [found, parent] = await Promise.all([dir, dirname(dir)].map((path) => stat(path).catch(() => null)))
  if (found && !found.isDirectory()) throw new UsageError(`--out ${dir} is not a directory`, 'Choose another one')
  if (!found && !parent) {
    throw new UsageError(`--out ${dir}: ${dirname(dir)} does not exist`, 'Create it first, or choose another one')
  }
  if (!found && !parent?.isDirectory()) {
    throw new UsageError(`--out ${dir}: ${dirname(dir)} is not a directory`, 'Choose another one')
  }
}

/**
 * Makes the directory, whose parent is there, and proves that files can be made in it. One level only: a recursive
 * mkdir of Node never returns on a file system that answers ENOENT to it, as /proc does.
 */
async function makeWritable(dir: string): Promise<void> {
  try {
    await mkdir(dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await rmdir(await mkdtemp(join(dir, '.ordeal-')))
  } catch (error) {
    throw new UsageError(`--out ${dir} cannot be written: ${coerceError(error).message}`, 'Choose another one')
  }
}

/** The directory of results: what an earlier run wrote is replaced, everything else in it stays. */
export class OutputFolder {
  private readonly written: string[] = []

  private constructor(readonly dir: string) {}

  /**
   * Checks the directory before anything is started; nothing is written yet. Throws UsageError when it lies inside the
   * input, has no parent, is not named at all, or holds files of those names that Ordeal did not write.
   */
  static async open(path: string, ...inputs: readonly string[]): Promise<OutputFolder> {
    if (!path.trim()) throw new UsageError('--out is empty', 'Name the directory of the results')
    const dir = resolve(path)
    await refuseNoParent(dir)
    for (const input of inputs) await refuseOverlap(dir, resolve(input))
    await refuseForeign(dir, await earlierFiles(dir))
    return new OutputFolder(dir)
  }

  /**
   * Makes the directory and removes what an earlier run wrote, so that nobody takes it for the result of this one.
   * Throws UsageError when nothing can be written there.
   */
  async clear(): Promise<void> {
    await makeWritable(this.dir)
    const files = [...(await earlierFiles(this.dir))].filter((file) => isWithin(join(this.dir, file), this.dir))
    await Promise.all(files.map((file) => rm(join(this.dir, file), { force: true })))
    const folders = [...new Set(files.map((file) => dirname(file)))].filter((folder) => folder !== '.')
    // Deepest first, so that a folder is empty by the time it is looked at.
    for (const folder of folders.flatMap(ancestors).sort((a, b) => b.length - a.length)) {
      await rmdir(join(this.dir, folder)).catch(() => {})
    }
  }

  /**
   * Writes one file, `name` relative to the directory with `/`. Throws UsageError for a name that leads out of it, and
   * where it cannot be written (a full disk).
   */
  async write(name: string, content: string | Buffer): Promise<void> {
    const path = join(this.dir, ...name.split('/'))
    if (!isWithin(path, this.dir)) throw new UsageError(`a result is named ${name}, which lies outside of ${this.dir}`)
    this.written.push(relative(this.dir, path))
    try {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    } catch (error) {
      const why = `--out ${this.dir}: ${name} cannot be written: ${coerceError(error).message}`
      throw new UsageError(why, 'Make room, or choose another directory, and run it again')
    }
  }

  /** Removes what was written: half of the results is none, and the next run must not take it for somebody else's. */
  async discard(): Promise<void> {
    await Promise.allSettled(this.written.map((file) => rm(join(this.dir, file), { force: true })))
  }

  /** Writes the list by which the next run knows its own files. */
  async close(artefacts: readonly unknown[]): Promise<void> {
    const list = { schema: 'ordeal.files/v1', files: [...this.written].sort(), artefacts }
    await this.write(LIST, `${JSON.stringify(list, null, 2)}\n`)
  }
}

function ancestors(folder: string): string[] {
  return folder === '.' ? [] : [folder, ...ancestors(dirname(folder))]
}
