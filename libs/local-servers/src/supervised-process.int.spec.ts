import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, watch } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Readable } from 'node:stream'
import { superviseProcess } from './supervised-process.js'

/** A program that starts both servers, prints their addresses, and waits until it is killed. */
const PROGRAM = `
import { startNats, startPostgres } from '@ordeal/local-servers'
const [postgres, nats] = await Promise.all([startPostgres({ temporary: true }), startNats({ temporary: true })])
console.log(JSON.stringify([postgres.adminUrl, nats.url]))
setInterval(() => undefined, 60_000)
`

/** Resolves when the server at `url` closes the connection that this opens. */
async function closing(url: string): Promise<{ closed: Promise<unknown> }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return { closed: once(socket.on('error', () => undefined).resume(), 'close') }
}

/** Resolves when `dir` holds something, or nothing any more. */
function untilHolds(dir: string, something: boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (readdirSync(dir).length > 0 !== something) return
      watcher.close()
      resolve()
    }
    const watcher = watch(dir, look)
    look()
  })
}

describe('superviseProcess', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ordeal-spec-'))
    await chmod(dir, 0o777)
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  const command = {
    name: 'Server',
    program: '/bin/sh',
    stopSignals: ['TERM'],
    temporaryDir: null,
    ready: (line: string) => (line === 'ready' ? line : null),
  } as const

  const start = (): ChildProcessByStdio<null, Readable, null> =>
    spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      env: { ...process.env, TMPDIR: dir },
      stdio: ['ignore', 'pipe', 'inherit'],
    })

  it('ends servers and removes their data when the program that started them is killed', async () => {
    const program = start()
    const [line] = (await once(createInterface({ input: program.stdout }), 'line')) as [string]
    const connections = await Promise.all((JSON.parse(line) as string[]).map(closing))

    program.kill('SIGKILL')
    await Promise.all(connections.map((connection) => connection.closed))
    await untilHolds(dir, false)
  }, 20_000)

  it('does so too while the data are being made', async () => {
    const program = start()
    await untilHolds(dir, true)
    program.kill('SIGKILL')
    await untilHolds(dir, false)
  }, 20_000)

  it('kills a server that ignores the signal to stop, and everything that it started', async () => {
    const script = `trap '' TERM; sleep 1000 & echo ready; wait; wait`
    const server = await superviseProcess({ ...command, args: ['-c', script], graceSeconds: 1 })
    await server.stop() // resolves only when nobody holds the server's output any more
  }, 20_000)

  it('tells the last words of a server that ends before it is ready', async () => {
    const started = superviseProcess({ ...command, args: ['-c', 'echo no room left >&2; exit 3'] })
    await expect(started).rejects.toThrow(/Server ended at once; its last words:\n {2}no room left/)
  })
})
