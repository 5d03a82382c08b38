import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { clientLibrary, createTransport } from './transport.js'

describe('transport', () => {
  let server: Server
  let connections = 0
  beforeAll(async () => {
    server = createServer((_, response) => response.end('{}')).on('connection', () => connections++)
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  it('goes over few connections for requests one after another', async () => {
    const { KubeConfig } = await clientLibrary()
    const config = new KubeConfig()
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    config.loadFromClusterAndUser({ name: 'c', server: url, skipTLSVerify: true }, { name: 'u' })
    const transport = await createTransport(config)
    for (let i = 0; i < 20; i++) expect(await transport({ method: 'GET', path: '/x' })).toMatchObject({ status: 200 })
    expect(connections).toBeLessThanOrEqual(2)
  })
})
