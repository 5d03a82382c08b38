import { ADVERSARIES, type Adversary } from '@ordeal/agents/testing'
import { applicationsIn, type Application } from './applications.js'
import { tableOf } from './table.js'
import { startBench, type Bench, type Cell } from './bench.js'

/**
 * `npm run test:models`: every adversary against every application of a folder (`ORDEAL_TEST_APPLICATIONS`), or those
 * adversaries that are named (`ORDEAL_TEST_ADVERSARIES=huge,reset`). Prints a table of all cycles.
 */
const FOLDER = process.env.ORDEAL_TEST_APPLICATIONS ?? 'examples'
const NAMED = process.env.ORDEAL_TEST_ADVERSARIES?.split(',')
const CHOSEN = (Object.keys(ADVERSARIES) as Adversary[]).filter((name) => NAMED?.includes(name) ?? true)
const LONG_MS = 30 * 60_000

describe('models that are of no use', () => {
  let bench: Bench<Adversary>
  let applications: readonly Application[]
  const floors = new Map<string, string>()
  const columns = new Map<string, Map<string, Cell>>()

  beforeAll(async () => {
    applications = await applicationsIn(FOLDER)
    bench = await startBench(ADVERSARIES)
    for (const application of applications) {
      const { results, code } = await bench.floorOf(application)
      floors.set(application.name, results?.cycle.outcome ?? `exit ${code}`)
    }
  }, LONG_MS)
  afterAll(async () => {
    process.stdout.write(`\n${tableOf(floors, columns)}\n`)
    await bench.close()
  }, LONG_MS)

  it.each(CHOSEN)(
    '%s',
    async (adversary) => {
      const cells = new Map<string, Cell>()
      columns.set(adversary, cells)
      for (const application of applications) cells.set(application.name, await bench.with(adversary, application))
      const problems = [...cells].flatMap(([name, cell]) => cell.problems.map((problem) => `${name}: ${problem}`))
      expect(problems).toEqual([])
    },
    LONG_MS,
  )
})
