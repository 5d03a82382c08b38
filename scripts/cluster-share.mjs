// Specs of level `cluster-long` take too long for each run of CI to take them all: each run takes one file, in turn.
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { root } from './packages.mjs'

const DAY_MS = 86_400_000

/** The name by which a file is asked for: `known-failures`. */
const nameOf = (file) => basename(file).split('.')[0]

/** The spec files of the level, in an order that a new one changes as little as it can. */
export const longSpecs = () =>
  globSync('{libs,services,cli,tests}/**/*.cluster-long.int.spec.ts', {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  }).toSorted()

/** Which turn it is: each commit is one; where commits cannot be counted, each day. */
export function turnOf(nowMs) {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    if (git('rev-parse', '--is-shallow-repository').trim() === 'false') {
      const commits = Number(git('rev-list', '--count', 'HEAD'))
      return { turn: commits, why: `commit number ${commits}` }
    }
  } catch {
    // No git, or no repository: an archive of the sources.
  }
  const day = Math.floor(nowMs / DAY_MS)
  return { turn: day, why: `day ${day}` }
}

/**
 * The files that are due. `wanted` (ORDEAL_TEST_SHARE) overrides the turn: names with commas, `all` or `none`. Throws for
 * a name that there is not.
 */
export function shareOf(files, wanted, { turn, why }) {
  if (wanted === 'none') return { files: [], why: 'ORDEAL_TEST_SHARE=none' }
  if (wanted === 'all') return { files: [...files], why: 'ORDEAL_TEST_SHARE=all' }
  if (wanted) {
    const names = wanted.split(',')
    const unknown = names.find((name) => !files.some((file) => nameOf(file) === name))
    if (unknown)
      throw new Error(`ORDEAL_TEST_SHARE: no '${unknown}'; there are ${files.map(nameOf).join(', ')}, all, none`)
    return { files: files.filter((file) => names.includes(nameOf(file))), why: `ORDEAL_TEST_SHARE=${wanted}` }
  }
  const due = files[turn % files.length]
  return { files: due === undefined ? [] : [due], why }
}
