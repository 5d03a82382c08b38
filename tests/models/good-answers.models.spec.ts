import { naive, scripted } from '@ordeal/agents/testing'
import { ANSWERS_FOR_ANY } from './any-application.js'
import { applicationsIn, type Application } from './applications.js'
import { startBench, type Bench, type Cell } from './bench.js'
import { tableOf } from './table.js'

const FOLDER = process.env.ORDEAL_TEST_APPLICATIONS ?? 'examples'
const LONG_MS = 15 * 60_000
/** The same answers from a server that holds models to a schema, and in the manner of a small model. */
const MODELS = { scripted: scripted(ANSWERS_FOR_ANY), naive: naive(ANSWERS_FOR_ANY) }
type Model = keyof typeof MODELS

describe('models that give good answers', () => {
  let bench: Bench<Model>
  let applications: readonly Application[]
  const floors = new Map<string, string>()
  const columns = new Map<string, Map<string, Cell>>()

  beforeAll(async () => {
    applications = await applicationsIn(FOLDER)
    bench = await startBench(MODELS)
  }, LONG_MS)
  afterAll(async () => {
    process.stdout.write(`\n${tableOf(floors, columns)}\n`)
    await bench.close()
  }, LONG_MS)

  it.each(Object.keys(MODELS) as Model[])(
    '%s: they are used, all of them, and the cycles end as well as by rules',
    async (model) => {
      const cells = new Map<string, Cell>()
      columns.set(model, cells)
      for (const application of applications) {
        const cell = await bench.with(model, application)
        cells.set(application.name, cell)
        const floor = await bench.floorOf(application)
        floors.set(application.name, floor.results?.cycle.outcome ?? `exit ${floor.code}`)
      }
      const left = [...cells].flatMap(([name, { ended, problems }]) => [
        ...problems.map((problem) => `${name}: ${problem}`),
        ...(ended.results?.agents ?? [])
          .filter((agent) => agent.provenance !== 'model')
          .map((agent) => `${name}: ${agent.name} was answered by ${agent.provenance}`),
      ])
      expect(left).toEqual([])
    },
    LONG_MS,
  )
})
