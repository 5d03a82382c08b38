import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { scripted, startModelServer, type ModelServer } from '@ordeal/agents/testing'
import { startPostgres } from '@ordeal/local-servers'
import { resultsSchema, type Results } from '@ordeal/shared'
import pg from 'pg'
import { ANSWERS_FOR_ANY } from '../../models/any-application.js'
import { ordeal, startOrdeal, type Running } from '../ordeal.js'
import { APPLICATIONS, CREDENTIALS } from './applications.js'
import { credentialsBelow, credentialsIn } from './find-credentials.js'

const LONG_MS = 180_000
/** The patch that applies and the improved tree are made of the user's own files; nothing else may hold a credential. */
const OWN_FILES = /^(improved\/|changes\.patch$)/

/** Every row of every table, as Postgres writes it as text. */
async function rowsOf(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const rows: string[] = []
    for (const { name } of tables) {
      const { rows: found } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      rows.push(...found.map(({ row }) => `${name} ${row}`))
    }
    return rows
  } finally {
    await client.end()
  }
}

describe('credentials in manifests', () => {
  let root: string
  let services: Running
  let server: ModelServer
  const printed: string[] = []
  const state = (): string => join(root, 'state')

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'ordeal-credentials-'))
    // Where this runs as root, Postgres runs as somebody else and has to enter.
    await chmod(root, 0o755)
    server = await startModelServer(scripted(ANSWERS_FOR_ANY))
    services = startOrdeal(['up'], state(), { ORDEAL_MODEL_URL: server.url })
    await services.until(/^Up: http/m)
  }, LONG_MS)
  afterAll(async () => {
    services.child.kill('SIGTERM')
    await services.ended
    await server.close()
    await rm(root, { recursive: true, force: true })
  }, LONG_MS)

  async function run(application: string, model: string): Promise<Results> {
    const dir = join(root, 'input', application)
    for (const [path, content] of Object.entries(APPLICATIONS[application] ?? {})) {
      await mkdir(dirname(join(dir, path)), { recursive: true })
      await writeFile(join(dir, path), content)
    }
    const out = join(root, `${application}-${model}`)
    const { stdout, stderr } = await ordeal(['run', dir, '--model', model, '--out', out], state())
    printed.push(stdout, stderr)
    const text = await readFile(join(out, 'results.json'), 'utf8').catch(() => {
      throw new Error(stderr)
    })
    return resultsSchema.parse(JSON.parse(text))
  }

  it.each(['manifests', 'helm', 'kustomize'].flatMap((name) => [[name, 'none'] as const, [name, 'm-1'] as const]))(
    'stay in the files of the user: %s, model %s',
    async (application, model) => {
      const results = await run(application, model)
      expect(results.cycle.outcome).toBe('improved')
      const provenance = new Set(results.agents.map((agent) => agent.provenance))
      expect(provenance).toEqual(new Set([model === 'none' ? 'expert' : 'model']))
      const out = join(root, `${application}-${model}`)
      expect(await credentialsBelow(out, OWN_FILES)).toEqual([])
      // The search finds what is there: the improved tree holds every credential of its files.
      const all = await Promise.all(
        Object.keys(APPLICATIONS[application] ?? {}).map((file) => readFile(join(out, 'improved', file), 'utf8')),
      )
      expect(credentialsIn(all.join('\n')).length).toBeGreaterThanOrEqual(4)
    },
    LONG_MS,
  )

  it('reach no prompt, no terminal, no log', () => {
    expect(server.requests.length).toBeGreaterThan(30)
    expect(credentialsIn(server.requests.map((request) => JSON.stringify(request)).join('\n'))).toEqual([])
    expect(credentialsIn(printed.join('\n'))).toEqual([])
  })

  it(
    'are not kept in a readable form by database or broker',
    async () => {
      services.child.kill('SIGTERM')
      const { stdout, stderr } = await services.ended
      expect(credentialsIn(stdout + stderr)).toEqual([])
      const data = join(state(), 'ordeal/data')
      const postgres = await startPostgres({ dir: join(data, 'postgres') })
      try {
        const rows = await rowsOf(postgres.adminUrl)
        expect(rows.length).toBeGreaterThan(100)
        const holders = rows.filter((row) => credentialsIn(row).length > 0)
        expect(holders.map((row) => `${row.slice(0, 200)} ${credentialsIn(row).join()}`)).toEqual([])
      } finally {
        await postgres.stop()
      }
      expect(await credentialsBelow(state(), /^$/)).toEqual([])
    },
    LONG_MS,
  )

  it('are all different from each other, so that one cannot hide another', () => {
    const values = Object.values(CREDENTIALS)
    expect(values.filter((a, i) => values.some((b, j) => i !== j && b.includes(a)))).toEqual([])
  })
})
