import { execFileSync } from 'node:child_process'
import { ADVERSARIES, type Adversary } from '@ordeal/agents/testing'
import { applicationsIn, type Application } from '../models/applications.js'
import { tableOf } from '../models/table.js'
import { startBench, type Bench, type Cell } from '../models/bench.js'

/** A few of all cycles of `npm run test:models`, others for each commit: what a change can wait for. */
const SHARES = 4
const LONG_MS = 180_000
const EXAMPLES = 'examples'

/** The commit, as a number; 0 where there is no repository. `ORDEAL_TEST_SHARE` says it instead. */
function shareNumber(): number {
  const given = process.env.ORDEAL_TEST_SHARE
  if (given !== undefined) return Number(given) % SHARES
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return Number.parseInt(commit.slice(0, 8), 16) % SHARES
  } catch {
    return 0
  }
}

const SHARE = shareNumber()
const CHOSEN = (Object.keys(ADVERSARIES) as Adversary[]).filter((_, i) => i % SHARES === SHARE)

describe(`models that are of no use, share ${SHARE} of ${SHARES}`, () => {
  let bench: Bench<Adversary>
  let applications: readonly Application[]
  const columns = new Map<string, Map<string, Cell>>()

  beforeAll(async () => {
    applications = await applicationsIn(EXAMPLES)
    bench = await startBench(ADVERSARIES)
  }, LONG_MS)
  afterAll(async () => {
    const floors = new Map<string, string>()
    for (const application of applications) {
      floors.set(application.name, (await bench.floorOf(application)).results?.cycle.outcome ?? 'refused')
    }
    process.stdout.write(`\n${tableOf(floors, columns)}\nagain: ORDEAL_TEST_SHARE=${SHARE}\n`)
    await bench.close()
  }, LONG_MS)

  it.each(CHOSEN)(
    '%s',
    async (adversary) => {
      const cells = new Map<string, Cell>()
      columns.set(adversary, cells)
      for (const application of applications) cells.set(application.name, await bench.with(adversary, application))
      expect([...cells.values()].flatMap((cell) => cell.problems)).toEqual([])
    },
    LONG_MS,
  )
})
