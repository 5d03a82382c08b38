import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fetchArchive } from './fetch-archive.js'

describe('fetchArchive', () => {
  let dir: string
  let server: Server
  let archive: Buffer
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ordeal-spec-'))
    await mkdir(join(dir, 'made/nats-server-v1'), { recursive: true })
    await writeFile(join(dir, 'made/nats-server-v1/nats-server'), 'the program')
    await promisify(execFile)('tar', ['-czf', join(dir, 'made.tar.gz'), '-C', join(dir, 'made'), 'nats-server-v1'])
    archive = await readFile(join(dir, 'made.tar.gz'))
    server = createServer((request, response) => {
      response.statusCode = request.url === '/there' ? 200 : 404
      response.end(archive)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    server.close()
    await rm(dir, { recursive: true, force: true })
  })

  const at = (path: string, sha256: string): { url: string; sha256: string } => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    sha256,
  })
  const checksum = (): string => createHash('sha256').update(archive).digest('hex')

  it('unpacks the program of an archive with the pinned checksum', async () => {
    const program = await fetchArchive(dir, at('/there', checksum()))
    expect(await readFile(program, 'utf8')).toBe('the program')
  })

  it('refuses another archive', async () => {
    await expect(fetchArchive(dir, at('/there', '0'.repeat(64)))).rejects.toThrow(/not the pinned one/)
  })

  it('says what the server answered, or that there is none for this platform', async () => {
    await expect(fetchArchive(dir, at('/elsewhere', checksum()))).rejects.toThrow(/answered 404/)
    await expect(fetchArchive(dir)).rejects.toThrow(/there is none for/)
  })
})
