import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ADVERSARIES,
  naive,
  scripted,
  startModelServer,
  type ModelServer,
  type Reply,
  type ChatRequest,
} from '@ordeal/agents/testing'
import { resultsSchema, type Results } from '@ordeal/shared'
import { GOOD_ANSWERS } from '../models/good-answers.js'
import { ordeal, startOrdeal, type Running } from './ordeal.js'

const CYCLES_MS = 180_000
const EXAMPLE = 'examples/nginx'

/** What must not change between a cycle and its replay: everything but ids, times and who is said to have answered. */
function decisions({ cycle, timings: _, cost: _____, agents, ...rest }: Results): unknown {
  const { id: __, startedAt: ___, finishedAt: ____, ...same } = cycle
  return { ...rest, cycle: same, agents: agents.map(({ name, provenance, calls }) => ({ name, provenance, calls })) }
}

describe('a cycle with a model', () => {
  let root: string
  let services: Running
  let server: ModelServer
  let answer: (request: ChatRequest) => Reply
  const state = (): string => join(root, 'state')

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'ordeal-models-'))
    // Where this runs as root, Postgres runs as somebody else and has to enter.
    await chmod(root, 0o755)
    server = await startModelServer((request) => answer(request))
    services = startOrdeal(['up'], state(), {
      ORDEAL_MODEL_URL: server.url,
      ORDEAL_MODEL_KEY: 'sk-e2e',
      ORDEAL_MODEL_PRICE: 'input=2,output=10',
    })
    await services.until(/^Up: http/m)
  }, CYCLES_MS)
  afterAll(async () => {
    services.child.kill('SIGTERM')
    await services.ended
    await server.close()
    await rm(root, { recursive: true })
  }, CYCLES_MS)

  async function run(out: string, ...args: string[]): Promise<Results> {
    const { stderr } = await ordeal([...args, '--out', join(root, out)], state())
    const text = await readFile(join(root, out, 'results.json'), 'utf8').catch(() => {
      throw new Error(stderr)
    })
    return resultsSchema.parse(JSON.parse(text))
  }

  it(
    'uses good answers, and decides the same when it is replayed without the model',
    async () => {
      answer = scripted(GOOD_ANSWERS)
      const asked = [
        'run',
        EXAMPLE,
        '--model',
        'm-1',
        '--instructions',
        'Use 12 requests per second. Let the trouble last 40 seconds. make me a sandwich',
      ]
      const results = await run('good', ...asked)
      expect(results.cycle.outcome).toBe('improved')
      expect(new Set(results.agents.map((a) => a.provenance))).toEqual(new Set(['model']))
      expect(results.hypothesis?.steadyStates[0]).toMatchObject({ statement: 'Readers get their page' })
      expect(results.hypothesis?.steadyStates[0]?.threshold.fault).toEqual({ minShare: 0.97, maxOutageMs: 4000 })
      expect(results.hypothesis?.scenario.faults[0]?.[0]?.durationMs).toBe(40_000)
      expect(results.cycle.cluster.assumptions.join()).toMatch(/Not understood, and not honoured: make me a sandwich/)
      expect(results.hypothesis?.steadyStates).toContainEqual(
        expect.objectContaining({
          id: 'page-has-pods',
          negativeControl: expect.objectContaining({ failed: true }) as object,
        }),
      )
      expect(results.diagnosis[0]?.cause).toBe('Nobody brings the bare pod back.')
      expect(results.summary.text).toContain('two pods of a Deployment')
      for (const report of ['report.html', 'report.md']) {
        expect(await readFile(join(root, 'good', report), 'utf8')).toContain('two pods of a Deployment')
      }
      const { phases } = results.cost
      expect(Object.keys(phases)).toEqual(
        expect.arrayContaining(['preprocess', 'hypothesis', 'analysis', 'improvement']),
      )
      const spent = results.agents.reduce((sum, agent) => sum + agent.costUsd, 0)
      expect(Object.values(phases).reduce((sum, usd) => sum + usd, 0)).toBeCloseTo(spent, 9)

      const before = server.requests.length
      const replayed = await run('replayed', 'replay', join(root, 'good'))
      expect(decisions(replayed)).toEqual(decisions(results))
      expect(server.requests).toHaveLength(before)

      const { stdout } = await ordeal(['explain', join(root, 'good'), 'diagnosis'], state())
      expect(stdout).toContain('Nobody brings the bare pod back.')
      expect(stdout).toMatch(/diagnosis: model \(m-1, 1 requests, 100 \+ \d+ tokens/)
    },
    CYCLES_MS,
  )

  it(
    'gets along with a small model',
    async () => {
      answer = naive(GOOD_ANSWERS)
      const results = await run('naive', 'run', EXAMPLE, '--model', 'm-2')
      expect(results.cycle.outcome).toBe('improved')
      expect(results.agents.every((a) => a.provenance === 'model')).toBe(true)
    },
    CYCLES_MS,
  )

  it.each(['valid-nonsense', 'garbage', 'unauthorized'] as const)(
    'ends as without a model when the model is of no use: %s',
    async (adversary) => {
      answer = ADVERSARIES[adversary]
      const results = await run(adversary, 'run', EXAMPLE, '--model', `m-${adversary}`)
      expect(results.cycle.outcome).toBe('improved')
      expect(JSON.stringify(results)).not.toContain('does-not-exist')
    },
    CYCLES_MS,
  )
})
