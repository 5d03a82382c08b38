import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { keepRunning, type KeepOptions, type KeptProcess } from './keep-running.js'

/** Listens on PORT, says where, and ends at once when CRASH is set. */
const PROGRAM = `
if (process.env.CRASH) process.exit(3)
const server = require('node:net').createServer().listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log('at ' + server.address().port)
})
process.on('SIGTERM', () => process.exit(0))
`

const commandOf = (env: Record<string, string>): ReturnType<KeepOptions['command']> => ({
  name: 'Program',
  program: process.execPath,
  args: ['--eval', PROGRAM],
  env,
  stopSignals: ['TERM'],
  temporaryDir: null,
  ready: (line) => (line.startsWith('at ') ? line.slice(3) : null),
})

/** Every end and start from now on, one after the other. */
function listenTo(): { options: Pick<KeepOptions, 'onEnd' | 'onStart'>; next: () => Promise<string> } {
  const [told, waiting]: [string[], ((what: string) => void)[]] = [[], []]
  const tell = (what: string): void => {
    const first = waiting.shift()
    if (first) first(what)
    else told.push(what)
  }
  return {
    options: { onEnd: ({ againInMs }) => tell(`ended, again in ${againInMs}`), onStart: () => tell('started') },
    next: () => {
      const first = told.shift()
      return first === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(first)
    },
  }
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const open = once(socket, 'connect').then(
    () => true,
    () => false,
  )
  return open.finally(() => socket.destroy())
}

describe('keepRunning', () => {
  let kept: KeptProcess | undefined
  afterEach(() => kept?.stop())

  it('brings a program that was killed back to the same place', async () => {
    const { options, next } = listenTo()
    kept = await keepRunning({ ...options, command: (_, port) => commandOf({ PORT: port ?? '0' }) })
    const [port, pid] = [Number(kept.ready), Number(kept.pid)]
    process.kill(pid, 'SIGKILL')
    expect([await next(), await next()]).toEqual(['ended, again in 100', 'started'])
    expect(kept.pid).not.toBe(pid)
    expect(await isOpen(port)).toBe(true)
    await kept.stop()
    expect(await isOpen(port)).toBe(false)
  })

  it('waits ever longer between starts that fail, up to a bound', async () => {
    const { options, next } = listenTo()
    const command: KeepOptions['command'] = (start) => commandOf(start === 0 ? { PORT: '0' } : { CRASH: '1' })
    kept = await keepRunning({ ...options, longestWaitMs: 200, command })
    process.kill(Number(kept.pid), 'SIGKILL')
    expect([await next(), await next(), await next()]).toEqual([
      'ended, again in 100',
      'ended, again in 200',
      'ended, again in 200',
    ])
    expect(kept.pid).toBeNull()
  })

  it('is stopped at once in the middle of a start that hangs', async () => {
    const { options, next } = listenTo()
    const hanging = { ...commandOf({}), args: ['--eval', 'setInterval(() => undefined, 60_000)'] }
    const started = Promise.withResolvers<void>()
    const command: KeepOptions['command'] = (start) => {
      if (start > 0) started.resolve()
      return start === 0 ? commandOf({ PORT: '0' }) : hanging
    }
    kept = await keepRunning({ ...options, command })
    process.kill(Number(kept.pid), 'SIGKILL')
    expect(await next()).toMatch('ended')
    await started.promise
    await kept.stop()
  })

  it('comes back when its place was taken for a while', async () => {
    const { options, next } = listenTo()
    kept = await keepRunning({ ...options, longestWaitMs: 100, command: (_, port) => commandOf({ PORT: port ?? '0' }) })
    const usurper = createServer()
    process.kill(Number(kept.pid), 'SIGKILL')
    expect(await next()).toMatch('ended')
    usurper.listen(Number(kept.ready), '127.0.0.1')
    await once(usurper, 'listening')
    expect((usurper.address() as AddressInfo).port).toBe(Number(kept.ready))
    expect(await next()).toMatch('ended')
    usurper.close()
    let what = await next()
    while (what !== 'started') what = await next()
    expect(await isOpen(Number(kept.ready))).toBe(true)
  })

  it('does not hide that the first start failed', async () => {
    await expect(keepRunning({ command: () => commandOf({ CRASH: '1' }) })).rejects.toMatchObject({
      code: 'server-failed',
    })
  })
})
