import { ADVERSARIES, type Adversary } from '@ordeal/agents/testing'
import { turnOf } from '../../scripts/cluster-share.mjs'
import { applicationsIn, type Application } from '../models/applications.js'
import { tableOf } from '../models/table.js'
import { startBench, type Bench, type Cell } from '../models/bench.js'

/** A few of all cycles of `npm run test:models`, others for each commit: what a change can wait for. */
const SHARES = 4
const LONG_MS = 180_000
const EXAMPLES = 'examples'

const NAMED = process.env.ORDEAL_TEST_ADVERSARIES?.split(',')
const { turn } = turnOf(Date.now())
const CHOSEN = (Object.keys(ADVERSARIES) as Adversary[]).filter(
  (name, index) => NAMED?.includes(name) ?? index % SHARES === turn % SHARES,
)

describe('models that are of no use, a share of them', () => {
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
    process.stdout.write(`\n${tableOf(floors, columns)}\nagain: ORDEAL_TEST_ADVERSARIES=${CHOSEN.join(',')}\n`)
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
