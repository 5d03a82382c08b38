import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resultsSchema } from '@ordeal/shared'
import { ordeal, processGone, startOrdeal, type Running } from './ordeal.js'

const START_MS = 90_000

describe('ordeal up --processes', () => {
  let root: string
  let services: Running
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'ordeal-processes-'))
    // Where this runs as root, Postgres runs as somebody else and has to enter.
    await chmod(root, 0o755)
    services = startOrdeal(['up', '--processes', '--replicas', '2'], join(root, 'state'))
    await services.until(/^Up: http/m)
  }, START_MS)
  afterAll(() => rm(root, { recursive: true, force: true }))

  const run = async (out: string): Promise<string> => {
    await ordeal(['run', 'examples/nginx', '--out', join(root, out)], join(root, 'state'))
    return resultsSchema.parse(JSON.parse(await readFile(join(root, out, 'results.json'), 'utf8'))).cycle.outcome
  }

  it(
    'serves cycles with two replicas of each service',
    async () => {
      expect(await Promise.all(['a', 'b'].map(run))).toEqual(['improved', 'improved'])
    },
    START_MS,
  )

  it(
    'ends every process when it is killed itself',
    async () => {
      const state = JSON.parse(await readFile(join(root, 'state/ordeal/up.json'), 'utf8')) as {
        url: string
        pid: number
      }
      const socket = connect(Number(new URL(state.url).port), '127.0.0.1').on('error', () => undefined)
      await once(socket, 'connect')
      const pidFile = await readFile(join(root, 'state/ordeal/data/postgres/data/postmaster.pid'), 'utf8')
      process.kill(state.pid, 'SIGKILL')
      await once(socket.resume(), 'close')
      await services.ended
      // Its supervisor stops Postgres after all others are gone; until then it writes to the folder removed below.
      await processGone(Number(pidFile.split('\n')[0]))
    },
    START_MS,
  )

  it('refuses replicas without processes', async () => {
    const { code, stderr } = await ordeal(['up', '--replicas', '2'], join(root, 'other'))
    expect(stderr).toContain('--replicas needs --processes')
    expect(code).toBe(1)
  })
})
