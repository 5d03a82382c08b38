import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { createSpecDatabase, emptySpecNats } from './spec-servers.js'

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows as Row[]
  } finally {
    await client.end()
  }
}

describe('createSpecDatabase', () => {
  it('gives each caller a migrated database of its own, reached as either role', async () => {
    const [one, two] = await Promise.all([createSpecDatabase(), createSpecDatabase()])
    try {
      const who = `select current_user, exists(select from pg_namespace where nspname = 'shared') as migrated`
      expect(await query(one.databaseUrl, who)).toEqual([{ current_user: 'ordeal_app', migrated: true }])
      expect(await query(two.plumbingDatabaseUrl, who)).toEqual([{ current_user: 'ordeal_plumbing', migrated: true }])
      expect(new URL(one.adminUrl).pathname).not.toBe(new URL(two.adminUrl).pathname)
    } finally {
      await Promise.all([one.drop(), two.drop()])
    }
    await expect(query(one.adminUrl, 'select 1')).rejects.toThrow(/does not exist/)
  })
})

describe('emptySpecNats', () => {
  it('removes the streams of the spec file before', async () => {
    const { url } = await emptySpecNats()
    const connection = await connect({ servers: url })
    const { streams } = await jetstreamManager(connection)
    await streams.add({ name: 'left-over', subjects: ['left.>'] })
    expect(await emptySpecNats()).toEqual({ url })
    const left = await streams.list().next()
    await connection.close()
    expect(left).toEqual([])
  })
})
