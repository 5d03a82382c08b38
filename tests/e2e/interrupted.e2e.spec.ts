import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOrdeal, type Running } from './ordeal.js'

const START_MS = 120_000

describe('a command whose services go away', () => {
  const processes: Running[] = []
  let root: string
  const start = (args: readonly string[]): Running => {
    const running = startOrdeal(args, join(root, 'state'))
    processes.push(running)
    return running
  }
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'ordeal-interrupted-'))
    // Where this runs as root, Postgres runs as somebody else and has to enter.
    await chmod(root, 0o755)
  })
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGTERM')
    await Promise.all(processes.map((p) => p.ended))
    await rm(root, { recursive: true })
  }, START_MS)

  it(
    'says that its cycle is kept, how it goes on and how to follow it, and ends with 1',
    async () => {
      const services = start(['up'])
      await services.until(/^Up: http/m)
      const run = start(['run', 'examples/nginx', '--out', join(root, 'out')])
      await run.until(/the application works/)
      services.child.kill('SIGKILL')
      const { code, stderr } = await run.ended
      expect(code).toBe(1)
      expect(stderr).toMatch(/the gateway is lost: .*Cycle cyc-[a-z0-9]{16} is kept: start `ordeal up` again/)
      expect(stderr).toMatch(/curl .*up\.json.*\/v1\/cycles\/cyc-[a-z0-9]{16}\/events/)
    },
    START_MS,
  )

  it.each([
    [['run', 'examples/nginx'], /^Ordeal · /m, 130, 'Stopped before the cycle began: nothing was touched.'],
    [['up'], /^Starting /m, 0, 'Stopping, as soon as what starts has started'],
  ] as const)(
    '%j, stopped while it starts, says so',
    async ([command, ...args], shown, code, words) => {
      const out = command === 'run' ? ['--out', join(root, 'early')] : []
      const running = start([command, ...args, ...out])
      await running.until(shown)
      running.child.kill('SIGINT')
      const ended = await running.ended
      expect(ended.stderr).toMatch(/stopping, as soon as what starts has started/i)
      expect(ended.stderr).toContain(words)
      expect(ended.code).toBe(code)
    },
    START_MS,
  )
})
