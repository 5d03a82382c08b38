import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localServersConfig } from '../config.js'
import { startNats } from './start-nats.js'

async function using<T>(url: string, work: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: url })
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

describe('startNats', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ordeal-spec-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  it('keeps what a stream holds in its folder, on another port each time', async () => {
    const first = await startNats({ dir })
    await using(first.url, async (connection) => {
      const manager = await jetstreamManager(connection)
      await manager.streams.add({ name: 'kept', subjects: ['kept.>'], storage: 'file' })
      await jetstream(connection).publish('kept.one', 'hello')
    })
    await first.stop()

    const second = await startNats({ dir })
    const message = await using(second.url, async (connection) => {
      const manager = await jetstreamManager(connection)
      return manager.streams.getMessage('kept', { last_by_subj: 'kept.one' })
    })
    await second.stop()
    expect(message?.string()).toBe('hello')
  })

  it('listens on the loopback address, stops for good and removes temporary data', async () => {
    const server = await startNats({ temporary: true }, { ...localServersConfig(), tempDir: dir })
    expect(new URL(server.url).hostname).toBe('127.0.0.1')
    expect(await readdir(dir)).toHaveLength(1)
    await server.stop()
    await server.stop()
    expect(await readdir(dir)).toEqual([])
    await expect(connect({ servers: server.url })).rejects.toThrow(/refused/i)
  })

  it('says why when the port is taken', async () => {
    const first = await startNats({ temporary: true })
    const port = Number(new URL(first.url).port)
    try {
      await expect(startNats({ temporary: true, port })).rejects.toThrow(/address already in use/)
    } finally {
      await first.stop()
    }
  })
})
