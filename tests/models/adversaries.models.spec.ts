import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADVERSARIES, startModelServer, type Adversary, type ModelServer } from '@ordeal/agents/testing'
import { resultsSchema, type Results } from '@ordeal/shared'
import { ordeal, startOrdeal, type Running } from '../e2e/ordeal.js'

/** `npm run test:models`: every adversary against every application that the project knows of. */
const APPLICATIONS = process.env.ORDEAL_TEST_APPLICATIONS ?? 'examples'
const LONG_MS = 30 * 60_000
/** How good an outcome is for who asked: a model may not make it worse than the rules alone do. */
const WORTH = { failed: 0, cancelled: 0, inconclusive: 1, vulnerable: 2, improved: 3, resilient: 3 } as const

interface Application {
  readonly name: string
  readonly path: string
  readonly args: readonly string[]
}

/** Folders of applications; one that is a case brings the arguments that it is to be run with. */
async function applications(): Promise<Application[]> {
  const names = (await readdir(APPLICATIONS, { withFileTypes: true })).filter((e) => e.isDirectory()).map((e) => e.name)
  return Promise.all(
    names.map(async (name) => {
      const dir = join(APPLICATIONS, name)
      const text = await readFile(join(dir, 'case.json'), 'utf8').catch(() => null)
      if (text === null) return { name, path: dir, args: [] }
      return { name, path: join(dir, 'app'), args: (JSON.parse(text) as { args: string[] }).args }
    }),
  )
}

describe('models that are of no use', () => {
  let root: string
  let services: Running
  let server: ModelServer
  let adversary: Adversary = 'garbage'
  const byRules = new Map<string, Results>()

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'ordeal-adversaries-'))
    // Where this runs as root, Postgres runs as somebody else and has to enter.
    await chmod(root, 0o755)
    server = await startModelServer((request) => ADVERSARIES[adversary](request))
    services = startOrdeal(['up'], join(root, 'state'), { ORDEAL_MODEL_URL: server.url, ORDEAL_MODEL_TIMEOUT: '1s' })
    await services.until(/^Up: http/m)
    for (const application of await applications()) byRules.set(application.name, await run(application, 'none'))
  }, LONG_MS)
  afterAll(async () => {
    services.child.kill('SIGTERM')
    await services.ended
    await server.close()
    await rm(root, { recursive: true })
  }, LONG_MS)

  async function run({ name, path, args }: Application, model: string): Promise<Results> {
    const out = join(root, `${name}-${model}`)
    const { stderr } = await ordeal(['run', path, ...args, '--model', model, '--out', out], join(root, 'state'))
    const text = await readFile(join(out, 'results.json'), 'utf8').catch(() => {
      throw new Error(`${name} with ${model}: ${stderr}`)
    })
    return resultsSchema.parse(JSON.parse(text))
  }

  it.each(Object.keys(ADVERSARIES) as Adversary[])(
    '%s',
    async (name) => {
      adversary = name
      const worse: string[] = []
      for (const application of await applications()) {
        const results = await run(application, `m-${name}`)
        const [floor, now] = [byRules.get(application.name) as Results, results]
        if (WORTH[now.cycle.outcome] < WORTH[floor.cycle.outcome]) {
          worse.push(`${application.name}: ${now.cycle.outcome}, by rules ${floor.cycle.outcome}`)
        }
        expect(JSON.stringify(results.revisions)).not.toMatch(/does-not-exist|kubectl|evil\.example/)
        expect((now.hypothesis?.steadyStates.length ?? 0) >= (floor.hypothesis?.steadyStates.length ?? 0)).toBe(true)
      }
      expect(worse).toEqual([])
    },
    LONG_MS,
  )
})
