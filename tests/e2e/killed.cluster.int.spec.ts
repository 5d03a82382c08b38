import { connectCluster } from '@ordeal/kubernetes'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOrdeal, type Running } from './ordeal.js'

const CYCLE_MS = 600_000
const never = new AbortController().signal

interface CycleState {
  readonly id: string
  readonly status: string
  readonly outcome: string | null
  readonly problem: string | null
}

describe('all processes killed in the middle of a fault on a real cluster', () => {
  const context = process.env.ORDEAL_TEST_CONTEXT ?? ''
  const processes: Running[] = []
  let root: string
  const start = (args: readonly string[]): Running => {
    const running = startOrdeal(args, join(root, 'state'))
    processes.push(running)
    return running
  }
  const cycles = async (): Promise<readonly CycleState[]> => {
    const { url, apiKey } = JSON.parse(await readFile(join(root, 'state/ordeal/up.json'), 'utf8')) as Record<
      string,
      string
    >
    const answer = await fetch(`${url}/v1/cycles`, { headers: { authorization: `Bearer ${apiKey}` } })
    return ((await answer.json()) as { cycles: CycleState[] }).cycles
  }

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'ordeal-killed-'))
    // Where this runs as root, Postgres runs as somebody else and has to enter.
    await chmod(root, 0o755)
  })
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGTERM')
    await Promise.all(processes.map((p) => p.ended))
    await rm(root, { recursive: true })
  }, CYCLE_MS)

  it(
    'is finished truthfully by the next start, and leaves nothing in the cluster',
    async () => {
      const services = start(['up'])
      await services.until(/^Up: http/m)
      const run = start(['run', 'examples/nginx', '--cluster', context, '--no-improve', '--out', join(root, 'out')])
      await run.until(/pod-kill hits/)
      for (const { child } of [services, run]) child.kill('SIGKILL')
      await Promise.all([services.ended, run.ended])

      await start(['up']).until(/^Up: http/m)
      const { clock, objects } = await connectCluster({ kind: 'kubernetes', context })
      const finished = await clock.waitFor(
        {
          what: 'the end of the cycle',
          withinMs: CYCLE_MS,
          watch: [],
          everyMs: 1000,
          check: async () => (await cycles()).find((cycle) => cycle.status === 'finished'),
        },
        never,
      )
      expect(finished).toMatchObject({ outcome: 'vulnerable', problem: null })
      const left = await objects.list({
        apiVersion: 'v1',
        kind: 'Namespace',
        labels: { 'ordeal.dev/cycle': finished.id },
      })
      expect(left).toEqual([])
    },
    CYCLE_MS,
  )
})
