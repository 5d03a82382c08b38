import pg from 'pg'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localServersConfig } from '../config.js'
import { startPostgres } from './start-postgres.js'

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows as Row[]
  } finally {
    await client.end()
  }
}

describe('startPostgres', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ordeal-spec-'))
    await chmod(dir, 0o777) // as of any folder for temporary data
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  it('answers on the loopback address with the password only, and stops for good', async () => {
    const server = await startPostgres({ temporary: true })
    const listen = await query(server.adminUrl, 'show listen_addresses')
    expect(listen).toEqual([{ listen_addresses: '127.0.0.1' }])
    const wrong = new URL(server.adminUrl)
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed')

    await server.stop()
    await server.stop()
    await expect(query(server.adminUrl, 'select 1')).rejects.toThrow('ECONNREFUSED')
  })

  it('removes the data of a temporary server', async () => {
    const server = await startPostgres({ temporary: true }, { ...localServersConfig(), tempDir: dir })
    expect(await readdir(dir)).toHaveLength(1)
    await server.stop()
    expect(await readdir(dir)).toEqual([])
  })

  it('finds the data of a folder again, and writes them through to the disk', async () => {
    const first = await startPostgres({ dir: join(dir, 'kept') })
    await query(first.adminUrl, 'create table kept as select 42 as answer')
    await first.stop()

    const second = await startPostgres({ dir: join(dir, 'kept') })
    try {
      expect(await query(second.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }])
      expect(await query(second.adminUrl, 'show fsync')).toEqual([{ fsync: 'on' }])
    } finally {
      await second.stop()
    }
  })

  it('says why when the folder is in use', async () => {
    const first = await startPostgres({ dir: join(dir, 'kept') })
    try {
      await expect(startPostgres({ dir: join(dir, 'kept') })).rejects.toThrow(
        /lock file "postmaster.pid" already exists/,
      )
    } finally {
      await first.stop()
    }
  })

  it('says why when the port is taken', async () => {
    const first = await startPostgres({ temporary: true })
    const port = Number(new URL(first.adminUrl).port)
    try {
      await expect(startPostgres({ temporary: true, port })).rejects.toThrow(/Address already in use/)
    } finally {
      await first.stop()
    }
  })
})
