// Compiles every package's src/ to dist/ with SWC: no type check (`npm run typecheck` does that), about a second.
// Only files newer than their output are compiled again; outputs without a source are removed.
import { transformFile } from '@swc/core'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { packages, root } from './packages.mjs'

const config = join(root, 'config/swc.json')
const options = JSON.parse(readFileSync(config, 'utf8'))
const configTime = (await stat(config)).mtimeMs
const isSource = (f) => f.endsWith('.ts') && !f.endsWith('.d.ts') && !/\.spec\.ts$/.test(f)
const isAsset = (f) => /\.(sql|json|css|html|br)$/.test(f)
const mtime = async (f) => (existsSync(f) ? (await stat(f)).mtimeMs : 0)
const filesUnder = (dir) =>
  existsSync(dir)
    ? readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((e) => e.isFile())
        .map((e) => relative(dir, join(e.parentPath, e.name)))
    : []

async function compile(from, to) {
  const { code, map } = await transformFile(from, { ...options, swcrc: false, sourceFileName: from })
  await mkdir(dirname(to), { recursive: true })
  await writeFile(`${to}.map`, map)
  await writeFile(to, `${code}\n//# sourceMappingURL=${to.split('/').at(-1)}.map\n`)
}

async function copy(from, to) {
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to)
}

async function buildPackage(dir) {
  const src = join(root, dir, 'src')
  const dist = join(root, dir, 'dist')
  const outputs = new Set()
  const work = filesUnder(src)
    .filter((f) => isSource(f) || isAsset(f))
    .map(async (f) => {
      const out = isSource(f) ? f.replace(/\.ts$/, '.js') : f
      outputs.add(out)
      const [from, to] = [join(src, f), join(dist, out)]
      const made = await mtime(to)
      if (made > (await mtime(from)) && made > configTime) return 0
      await (isSource(f) ? compile(from, to) : copy(from, to))
      return 1
    })
  const done = (await Promise.all(work)).reduce((a, b) => a + b, 0)
  const stale = filesUnder(dist).filter((f) => f.endsWith('.js') && !outputs.has(f))
  await Promise.all(stale.map((f) => rm(join(dist, f))))
  return done
}

const started = Date.now()
/** Programs that are no packages: nothing imports them. */
const PROGRAMS = ['tests/conformance']
const counts = await Promise.all([...packages().map((p) => p.dir), ...PROGRAMS].map(buildPackage))
const total = counts.reduce((a, b) => a + b, 0)
if (total) console.error(`built ${total} files in ${Date.now() - started} ms`)
