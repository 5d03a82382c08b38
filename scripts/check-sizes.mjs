// How large the files are and how deep they lie: `node scripts/check-sizes.mjs`.
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { packages, root } from './packages.mjs'

const MAX_LINES = 500
const MAX_MEDIAN = 120
/** Folders below a package, src included. */
const MAX_DEPTH = 4

const isOurs = (path) => /\.(ts|mjs|cjs)$/.test(path) && !/(^|\/)(node_modules|dist|generated)\//.test(path)
const filesUnder = (dir) =>
  readdirSync(join(root, dir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter(isOurs)

const homes = [...packages().map((p) => p.dir), 'tests', 'scripts', 'config', 'bench']
const files = homes.flatMap((home) =>
  filesUnder(home).map((path) => ({
    path,
    lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1,
    depth: relative(home, path).split('/').length - 1,
  })),
)
const sorted = files.map((f) => f.lines).sort((a, b) => a - b)
const median = sorted[Math.floor(sorted.length / 2)]
const problems = [
  ...files.filter((f) => f.lines > MAX_LINES).map((f) => `${f.path}: ${f.lines} lines, more than ${MAX_LINES}`),
  ...files.filter((f) => f.depth > MAX_DEPTH).map((f) => `${f.path}: deeper than ${MAX_DEPTH} folders`),
  ...(median >= MAX_MEDIAN ? [`the median file has ${median} lines, not under ${MAX_MEDIAN}`] : []),
]
for (const problem of problems) console.error(problem)
console.log(`${files.length} files, median ${median} lines, largest ${sorted.at(-1)}`)
if (problems.length > 0) process.exitCode = 1
