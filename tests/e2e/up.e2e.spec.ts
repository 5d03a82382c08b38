import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resultsSchema, type Results } from '@ordeal/shared'
import { ordeal, startOrdeal, type Running } from './ordeal.js'

const START_MS = 60_000

/** Results without what is allowed to differ between two runs of one seed. */
function comparable(results: Results): unknown {
  const { cycle, timings: _, agents, ...rest } = results
  const { id: __, startedAt: ___, finishedAt: ____, ...same } = cycle
  return { ...rest, cycle: same, agents: agents.map((agent) => ({ ...agent, ms: 0 })) }
}

describe('ordeal up', () => {
  let root: string
  let services: Running
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'ordeal-up-'))
    // Where this runs as root, Postgres runs as somebody else and has to enter.
    await chmod(root, 0o755)
    services = startOrdeal(['up'], join(root, 'state'))
    await services.until(/^Up: http/m)
  }, START_MS)
  afterAll(async () => {
    services.child.kill('SIGTERM')
    await services.ended
    await rm(root, { recursive: true })
  }, START_MS)

  const run = async (out: string, ...args: string[]): Promise<Results> => {
    await ordeal(['run', 'examples/nginx', '--out', join(root, out), ...args], join(root, 'state'))
    return resultsSchema.parse(JSON.parse(await readFile(join(root, out, 'results.json'), 'utf8')))
  }

  it(
    'serves runs, which come out the same for the same seed',
    async () => {
      const [first, second] = [await run('first'), await run('second')]
      expect(first.cycle.outcome).toBe('improved')
      expect(comparable(second)).toEqual(comparable(first))
      expect(second.cycle.id).not.toBe(first.cycle.id)
    },
    START_MS,
  )

  it(
    'serves runs at once, without mixing them up',
    async () => {
      const results = await Promise.all(['a', 'b', 'c'].map((out, index) => run(out, '--seed', String(index + 1))))
      expect(results.map((r) => [r.cycle.seed, r.cycle.outcome])).toEqual([1, 2, 3].map((seed) => [seed, 'improved']))
    },
    START_MS,
  )

  it('is not started twice', async () => {
    const { code, stderr } = await ordeal(['up'], join(root, 'state'))
    expect(stderr).toContain('the services are up already')
    expect(code).toBe(1)
  })
})
