import { createServer, type AddressInfo, type Server } from 'node:net'
import { silentLogger as log } from '../testing/memory-context.js'
import { emptySpecNats } from '../testing/spec-servers.js'
import { BrokerError, connectBroker } from './connection.js'
import { ensureConsumer, ensureStreams } from './topology.js'

/** A server that says what it is and answers pings, as far as the boot check looks. */
async function pretend(info: Record<string, unknown>): Promise<{ url: string; server: Server }> {
  const server = createServer((socket) => {
    socket.write(`INFO ${JSON.stringify({ server_id: 'x', max_payload: 1024, proto: 1, headers: true, ...info })}\r\n`)
    socket.on('data', (data) => void (data.includes('PING') && socket.write('PONG\r\n')))
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

describe('the connection to NATS', () => {
  it.each([
    [{ version: '2.9.25', jetstream: true }, 'nats-server is version 2.9.25. Ordeal needs nats-server ≥ 2.10'],
    [{ version: '2.11.0' }, 'runs without JetStream'],
  ])('refuses a server that says %j', async (info, words) => {
    const { url, server } = await pretend(info)
    const attempt = connectBroker(url, 'spec', log)
    await expect(attempt).rejects.toThrow(words)
    await expect(attempt).rejects.toBeInstanceOf(BrokerError)
    server.close()
  })

  it('names the place where no server answers, without its password', async () => {
    const attempt = connectBroker('nats://user:secret@127.0.0.1:1', 'spec', log)
    await expect(attempt).rejects.toThrow('no NATS server answers at 127.0.0.1:1')
    await expect(attempt).rejects.not.toThrow('secret')
  })

  it('lets any number of processes set up streams and consumer at once, and again', async () => {
    const { url } = await emptySpecNats()
    const broker = await connectBroker(url, 'spec', log)
    await Promise.all([1, 2, 3].map(() => ensureStreams(broker)))
    await Promise.all([1, 2, 3].map(() => ensureConsumer(broker, 'experiment')))
    await broker.manager.streams.update('ORDEAL', { max_age: 1_000_000_000 * 60 * 60 })
    await ensureStreams(broker)
    expect((await broker.manager.streams.info('ORDEAL')).config).toMatchObject({
      retention: 'limits',
      storage: 'file',
      max_age: 14 * 24 * 3600 * 1e9,
    })
    await broker.ping(2000)
    await broker.close()
    await broker.close()
    await expect(broker.ping(500)).rejects.toThrow()
  })
})
