// Prints how much longer than planned the runs of a cycle take on a real cluster: `node bench/real-cluster.mjs CONTEXT
// [PATH]`, after `npm run build`. The wall time of a run is that of its whole phase: rolling the revision out, settling,
// the plan, and gathering what was measured. Of r0 nothing has to be rolled out any more, so its overhead is Ordeal's
// own; fails when that is over 10 s.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../scripts/packages.mjs'

const MOST_MS = 10_000

const [context, path = join(root, 'examples/nginx')] = process.argv.slice(2)
if (!context) throw new Error('usage: node bench/real-cluster.mjs CONTEXT [PATH]')
const out = mkdtempSync(join(tmpdir(), 'ordeal-bench-'))
const read = (name) => JSON.parse(readFileSync(join(out, name), 'utf8'))
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`

function measure(revision) {
  const planned = read(`artefacts/r${revision}-plan.json`).windows.post.to
  const { ms: wall } = read(`artefacts/r${revision}-timing-run.json`)
  return { revision, planned, wall, overhead: wall - planned }
}

try {
  const started = Date.now()
  const options = ['--cluster', context, '--out', out]
  const { status } = spawnSync(process.execPath, [join(root, 'cli/bin/ordeal.mjs'), 'run', path, ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const { runs, cycle } = read('results.json')
  console.log(`${cycle.outcome} (exit ${status}) after ${seconds(Date.now() - started)}`)
  const measured = runs.map((run) => measure(run.revision))
  for (const { revision, planned, wall, overhead } of measured) {
    const ratio = (wall / planned).toFixed(3)
    console.log(
      `r${revision}: planned ${seconds(planned)}, took ${seconds(wall)}: ${seconds(overhead)} more, ratio ${ratio}`,
    )
  }
  const own = measured.find((run) => run.revision === 0)?.overhead ?? Infinity
  if (own > MOST_MS)
    throw new Error(`the run of r0 took ${seconds(own)} longer than planned, at most ${seconds(MOST_MS)}`)
} finally {
  rmSync(out, { recursive: true, force: true })
}
