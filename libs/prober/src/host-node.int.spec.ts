import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { createNodeHost } from './host-node.js'
import { createProber } from './prober.js'
import { sampleLineSchema, type SampleLine } from './protocol.js'

/** The first `count` samples of a probe of `url`, with periods long enough for a busy machine to keep them. */
function firstSamples(url: string, count: number): Promise<SampleLine[]> {
  return new Promise((resolve) => {
    const samples: SampleLine[] = []
    const host = createNodeHost((line) => {
      samples.push(sampleLineSchema.parse(JSON.parse(line)))
      if (samples.length === count) {
        prober.stop()
        resolve(samples)
      }
    }, null)
    const probe = { id: 'p', kind: 'http' as const, url, ratePerSecond: 4, timeoutMs: 1000 }
    const prober = createProber(host, { probes: [probe] })
    prober.start()
  })
}

describe('createNodeHost', () => {
  let server: Server
  let connections = 0
  let url: string

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/good') response.end('hello')
      else if (request.url === '/moved') response.writeHead(302, { location: '/good' }).end()
      else if (request.url === '/bad') response.writeHead(503).end()
    })
    server.on('connection', () => (connections += 1))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })

  it('opens a connection for each request', async () => {
    connections = 0
    const samples = await firstSamples(`${url}/good`, 3)
    expect(samples.every((s) => s.ok && s.value === 200)).toBe(true)
    expect(connections).toBeGreaterThanOrEqual(3)
  })
  it('takes a redirect as the answer', async () => expect((await firstSamples(`${url}/moved`, 1))[0]?.value).toBe(302))
  it('reports a bad status', async () => expect((await firstSamples(`${url}/bad`, 1))[0]?.error).toBe('status 503'))
  it('reports a request that hangs', async () => {
    expect((await firstSamples(`${url}/never`, 1))[0]).toMatchObject({ ok: false, latencyMs: null })
  })
  it('reports a refused connection and goes on', async () => {
    const samples = await firstSamples('http://127.0.0.1:1/', 2)
    expect(samples.map((s) => s.error)).toEqual([expect.stringContaining('ECONNREFUSED'), expect.any(String)])
  })
})
