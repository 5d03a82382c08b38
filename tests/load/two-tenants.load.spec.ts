import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { newApiKey, provisionTenant } from '@ordeal/gateway'
import { createLogger, tenantId } from '@ordeal/shared'
import { createStore } from '@ordeal/shared/runtime'
import { startSpecServers, type SpecServers } from '@ordeal/shared/testing/services'
import pg from 'pg'
import { type Replicas, serviceNames, startReplicas } from './replicas.js'
import { type CycleAnswer, TenantClient } from './tenant-client.js'

/**
 * Few slots, so that there is a queue in which a tenant could be left behind; and leases that a machine which is busy
 * with other things does not let run out, since one that is lost is to be noticed here.
 */
const ENVIRONMENT = { PHASE_CONCURRENCY: '2', PHASE_LEASE: '30s', LOG_LEVEL: 'debug' }

/** Can be made smaller where a machine is slow: CYCLES_OF_A=20. */
const CYCLES_OF_A = Number(process.env.CYCLES_OF_A ?? 150)
const CYCLES_OF_B = Math.ceil(CYCLES_OF_A / 3)
const MINUTE = 60_000

const manifest = (name: string): string =>
  readFileSync(new URL(`../../examples/nginx/${name}`, import.meta.url), 'utf8')

/** An application that tells by its name whose it is: what of it is found in another cycle was mixed up. */
const application = (name: string) => ({
  project: name,
  input: {
    files: ['pod.yaml', 'service.yaml'].map((path) => ({ path, content: manifest(path).replaceAll('web', name) })),
  },
  options: { application: name },
})

interface Ended {
  readonly name: string
  readonly cycle: CycleAnswer
  /** ms from the start of the test. */
  readonly at: number
}

describe('two tenants and two replicas of each service', () => {
  let servers: SpecServers
  let fleet: Replicas
  let admin: pg.Client
  const keys = { a: newApiKey(), b: newApiKey() }
  let clients: { a: TenantClient; b: TenantClient }
  beforeAll(async () => {
    servers = await startSpecServers()
    admin = new pg.Client({ connectionString: servers.database.adminUrl })
    await admin.connect()
    const { databaseUrl, plumbingDatabaseUrl } = servers.database
    const store = createStore(
      { databaseUrl, plumbingDatabaseUrl, poolSize: 1, name: 'load' },
      createLogger('load', 'error'),
    )
    await provisionTenant(store, tenantId.parse('a'), { id: 'load', apiKey: keys.a })
    await provisionTenant(store, tenantId.parse('b'), { id: 'load', apiKey: keys.b })
    await store.close()
    const vaultKey = randomBytes(32).toString('base64')
    fleet = await startReplicas(
      { databaseUrl, plumbingDatabaseUrl, natsUrl: servers.natsUrl, vaultKey },
      2,
      ENVIRONMENT,
    )
    clients = { a: new TenantClient(fleet.gateways, keys.a), b: new TenantClient(fleet.gateways, keys.b) }
  }, 3 * MINUTE)
  afterAll(async () => {
    await fleet.stop()
    await admin.end()
    await servers.stop()
  }, 3 * MINUTE)

  const walk = async (tenant: 'a' | 'b', index: number, started: number): Promise<Ended> => {
    const name = `${tenant}-${index}`
    const { id } = await clients[tenant].start(application(name))
    const cycle = await clients[tenant].finished(id)
    return { name, cycle, at: performance.now() - started }
  }

  it(
    'walk all of their cycles to the end at once, none mixed up with another',
    async () => {
      const started = performance.now()
      const ended = await Promise.all([
        ...Array.from({ length: CYCLES_OF_A }, (_, index) => walk('a', index, started)),
        ...Array.from({ length: CYCLES_OF_B }, (_, index) => walk('b', index, started)),
      ])
      expect(ended.map(({ cycle }) => cycle.outcome)).toEqual(ended.map(() => 'improved'))
      for (const { name, cycle } of ended) await expectOwn(name, cycle)
      await expectNothingLeft()
      await expectOneTracePerCycle(ended)
    },
    20 * MINUTE,
  )

  it(
    'take turns: the one cycle of a tenant does not wait for the many of another',
    async () => {
      const started = performance.now()
      const many = Array.from({ length: CYCLES_OF_A }, (_, index) => walk('a', 1000 + index, started))
      // The last of them is accepted before the one is asked for.
      await untilAccepted('a', CYCLES_OF_A)
      const asked = performance.now() - started
      const one = await walk('b', 1000, started)
      const ends = (await Promise.all(many)).map(({ at }) => at).sort((x, y) => x - y)
      const before = ends.filter((at) => at < one.at).length
      const wait = (one.at - asked) / ((ends.at(-1) ?? 0) - asked)
      // With turns it has half of the slots to itself; behind the others it would end last.
      expect(before / CYCLES_OF_A).toBeLessThan(0.5)
      expect(wait).toBeLessThan(0.5)
    },
    20 * MINUTE,
  )

  async function untilAccepted(tenant: string, count: number): Promise<void> {
    for (let accepted = 0; accepted < count;) {
      const sql = `select count(*) from gateway.cycles where tenant_id = $1 and project like '%-1___'`
      accepted = Number((await admin.query<{ count: string }>(sql, [tenant])).rows[0]?.count)
    }
  }

  /** Its results, documents and namespace name its own application, and nobody else's. */
  async function expectOwn(name: string, cycle: CycleAnswer): Promise<void> {
    expect(cycle.project).toBe(name)
    const { rows } = await admin.query<{ tenant_id: string; kind: string; body: string }>(
      'select tenant_id, kind, body::text as body from shared.artefacts where cycle_id = $1',
      [cycle.id],
    )
    expect(new Set(rows.map((row) => row.tenant_id))).toEqual(new Set([name[0]]))
    const text = rows.map((row) => row.body).join('\n')
    const applications = new Set([...text.matchAll(/\b[ab]-\d+\b(?=["/.: ])/g)].map(([found]) => found))
    expect([...applications]).toEqual([name])
    const cycles = new Set([...text.matchAll(/\bcyc-[a-z2-7]{16}\b/g)].map(([found]) => found))
    expect([...cycles]).toEqual([cycle.id])
    const kinds = (kind: string): number => rows.filter((row) => row.kind === kind).length
    expect({ results: kinds('results'), runs: kinds('run'), verdicts: kinds('verdict') }).toEqual({
      results: 1,
      runs: 2,
      verdicts: 2,
    })
  }

  /** No cluster, no lease, no queued phase, no event that was not published. */
  async function expectNothingLeft(): Promise<void> {
    expect(await (await fetch(`${fleet.embedded.url}/clusters`)).json()).toMatchObject({ clusters: [] })
    for (const service of serviceNames) {
      const { rows } = await admin.query(
        `select (select count(*)::int from ${service}.phases
             where state = 'running' or (state = 'queued' and run_after <= now())) as phases,
           (select count(*)::int from ${service}.phases where state = 'failed') as failed,
           (select coalesce(sum(lost_leases), 0)::int from ${service}.phases) as lost,
           (select count(*)::int from ${service}.outbox where published_at is null) as outbox`,
      )
      expect({ service, ...rows[0] }).toEqual({ service, phases: 0, failed: 0, lost: 0, outbox: 0 })
    }
  }

  /** Every log line of every service about a cycle carries the cycle's one trace id, and every service has one. */
  async function expectOneTracePerCycle(ended: readonly Ended[]): Promise<void> {
    const { rows } = await admin.query<{ cycle_id: string; traces: string[] }>(
      `select cycle_id, array_agg(distinct split_part(envelope ->> 'traceparent', '-', 2)) as traces
       from (${serviceNames.map((name) => `select cycle_id, envelope from ${name}.outbox`).join(' union all ')}) o
       group by cycle_id`,
    )
    const traceOf = new Map(rows.map((row) => [row.cycle_id, row.traces]))
    for (const { cycle } of ended) {
      const traces = traceOf.get(cycle.id) ?? []
      expect(traces).toHaveLength(1)
      const lines = fleet.replicas.flatMap(({ log }) => log.filter((line) => line.cycleId === cycle.id))
      expect(new Set(lines.map((line) => line.traceId))).toEqual(new Set(traces))
      expect(new Set(lines.map((line) => line.service))).toEqual(new Set(serviceNames))
    }
  }
})
