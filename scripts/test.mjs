// All tests, the quickest first: `npm test [-- [--with-cluster] jest's options]`. Ends with the line `N passed, N failed`.
// With --with-cluster those that need a real cluster come last (see tests/setup/real-cluster.ts), with a share of the long
// ones among them that changes from commit to commit; where there is none to be had, they are left out and that is said.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { longSpecs, shareOf, turnOf } from './cluster-share.mjs'
import { jest } from './jest.mjs'
import { root } from './packages.mjs'

const LEVELS = ['unit', 'int', 'e2e']

/** Runs one level and counts; a spec file that cannot be run, and a runner that leaves no results, count as failed. */
async function run(level, folder, files = []) {
  const results = join(folder, `${level}.json`)
  const report = ['--json', '--outputFile', results]
  // A cluster is one: some specs stop its programs, and most of their time is waiting, which they do side by side inside.
  const workers = level.startsWith('cluster') ? '--runInBand' : '--maxWorkers=100%'
  const only = files.length ? ['--runTestsByPath', ...files] : []
  const select = ['--selectProjects', level, '--passWithNoTests', workers, ...only]
  const code = await jest([...select, ...report, ...options], results)
  const counted = await readFile(results, 'utf8').then(JSON.parse, () => ({ numRuntimeErrorTestSuites: 1 }))
  const { numPassedTests = 0, numFailedTests = 0, numRuntimeErrorTestSuites = 0 } = counted
  const failed = numFailedTests + numRuntimeErrorTestSuites
  return { passed: numPassedTests, failed: failed || (code === 0 ? 0 : 1) }
}

/** Levels with the files to which they are restricted, if any. */
function levels() {
  if (!withCluster) return LEVELS.map((level) => [level])
  const { ORDEAL_TEST_CONTEXT, ORDEAL_TEST_CLUSTER } = process.env
  const there = ORDEAL_TEST_CONTEXT || ORDEAL_TEST_CLUSTER || existsSync(join(root, '../shared/cluster/cluster.sh'))
  if (there) return [...LEVELS.map((level) => [level]), ['cluster'], ...longLevel()]
  console.log('Tests on a real cluster are left out: set ORDEAL_TEST_CLUSTER or ORDEAL_TEST_CONTEXT to have them.')
  return LEVELS.map((level) => [level])
}

function longLevel() {
  const all = longSpecs()
  const { files, why } = shareOf(all, process.env.ORDEAL_TEST_SHARE, turnOf(Date.now()))
  console.log(`Of ${all.length} long specs on a real cluster this run takes ${files.join(', ') || 'none'} (${why}).`)
  return files.length ? [['cluster-long', files]] : []
}

const withCluster = process.argv.includes('--with-cluster')
const options = process.argv.slice(2).filter((option) => option !== '--with-cluster')
// Specs start programs of the built packages.
const build = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' })
if (build.status !== 0) process.exit(1)

const folder = await mkdtemp(join(tmpdir(), 'ordeal-tests-'))
const sum = { passed: 0, failed: 0 }
try {
  for (const [level, files] of levels()) {
    console.log(`\n== ${level}`)
    const { passed, failed } = await run(level, folder, files)
    sum.passed += passed
    sum.failed += failed
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
console.log(`\n${sum.passed} passed, ${sum.failed} failed`)
if (sum.failed > 0 || sum.passed === 0) process.exitCode = 1
