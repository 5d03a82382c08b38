// Prints what cycles cost when many are in flight: two replicas of each service as processes of their own, two tenants,
// the embedded cluster; and what a bare loop costs that fetches a message, runs one transaction and publishes with ack
// on the same servers. `npm run bench:cycles -- [in flight, default 1,20,200]` (docs/performance.md).
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { startNats, startPostgres } from '@ordeal/local-servers'
import { newApiKey, provisionTenant } from '@ordeal/gateway'
import { createLogger, tenantId } from '@ordeal/shared'
import { createStore, migrate } from '@ordeal/shared/runtime'
import pg from 'pg'
import { serviceNames, startReplicas } from '../tests/load/replicas.ts'
import { TenantClient } from '../tests/load/tenant-client.ts'
import { bareLoop } from './bare-loop.mjs'
import { cpuSeconds, residentMegabytes } from './process-usage.mjs'

const REPLICAS = 2
/** At least this many cycles at each step, so that one slow cycle does not decide. */
const AT_LEAST = Number(process.env.BENCH_AT_LEAST ?? 20)
/** Cycles before anything is measured. */
const WARM_UP = 100
const inFlight = (process.argv[2] ?? '1,20,200').split(',').map(Number)
const files = ['pod.yaml', 'service.yaml'].map((path) => ({
  path,
  content: readFileSync(new URL(`../examples/nginx/${path}`, import.meta.url), 'utf8'),
}))

async function startServers() {
  const [postgres, nats] = await Promise.all([startPostgres({ temporary: true }), startNats({ temporary: true })])
  const passwords = { app: 'bench-app', plumbing: 'bench-plumbing' }
  await migrate({ adminUrl: postgres.adminUrl, passwords })
  const loginAs = (user, password) => Object.assign(new URL(postgres.adminUrl), { username: user, password }).href
  return {
    adminUrl: postgres.adminUrl,
    databaseUrl: loginAs('ordeal_app', passwords.app),
    plumbingDatabaseUrl: loginAs('ordeal_plumbing', passwords.plumbing),
    natsUrl: nats.url,
    vaultKey: randomBytes(32).toString('base64'),
    stop: () => Promise.all([postgres.stop(), nats.stop()]),
  }
}

async function tenants(servers, gateways) {
  const config = { ...servers, poolSize: 1, name: 'bench' }
  const store = createStore(config, createLogger('bench', 'error'))
  const clients = []
  for (const name of ['one', 'two']) {
    const apiKey = newApiKey()
    await provisionTenant(store, tenantId.parse(name), { id: 'bench', apiKey })
    clients.push(new TenantClient(gateways, apiKey))
  }
  await store.close()
  return clients
}

/** Keeps `width` cycles in flight until `total` have ended. */
async function runCycles(clients, width, total) {
  let begun = 0
  const outcomes = {}
  const walk = async () => {
    while (begun < total) {
      const client = clients[begun++ % clients.length]
      const { id } = await client.start({ input: { files } })
      const { outcome } = await client.finished(id)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: width }, walk))
  return outcomes
}

const difference = (after, before) => Object.fromEntries(Object.keys(after).map((k) => [k, after[k] - before[k]]))
const cost = (record) => Object.values(record).reduce((a, b) => a + b, 0)
const pad = (value, width) => String(value).padStart(width)

async function measure(clients, width) {
  const total = Math.max(AT_LEAST, width)
  const before = cpuSeconds()
  const started = performance.now()
  const outcomes = await runCycles(clients, width, total)
  const seconds = (performance.now() - started) / 1000
  const cpu = difference(cpuSeconds(), before)
  const perCycle = Object.fromEntries(Object.entries(cpu).map(([part, s]) => [part, (1000 * s) / total]))
  return { width, total, seconds, outcomes, perCycle, cost: cost(perCycle), memory: residentMegabytes() }
}

function printRow({ width, total, seconds, outcomes, perCycle, cost, memory }) {
  const parts = Object.entries(perCycle).map(([part, ms]) => `${part} ${ms.toFixed(0)}`)
  const mb = Object.entries(memory).map(([part, m]) => `${part} ${m.toFixed(0)}`)
  console.log(
    `${pad(width, 3)} in flight: ${pad(total, 3)} cycles in ${seconds.toFixed(1)} s = ` +
      `${((60 * total) / seconds).toFixed(0)} cycles/min; ${cost.toFixed(0)} ms of CPU each (${parts.join(', ')}); ` +
      `MB: ${mb.join(', ')}; ${JSON.stringify(outcomes)}`,
  )
}

/** Deliveries that services accepted, over all cycles. */
async function messagesPerCycle({ adminUrl }) {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  const inboxes = serviceNames.map((name) => `(select count(*) from ${name}.inbox)`).join(' + ')
  const { rows } = await client.query(`select (${inboxes})::float8 / (select count(*) from gateway.cycles) as messages`)
  await client.end()
  return rows[0].messages
}

const servers = await startServers()
const stack = await startReplicas(servers, REPLICAS, JSON.parse(process.env.BENCH_ENV ?? '{}'))
/** Everything goes with this process, also when it is asked to end. */
const stop = async () => {
  await stack.stop()
  await servers.stop()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop().then(() => process.exit(1)))
try {
  const clients = await tenants(servers, stack.gateways)
  // Ten processes share these: fewer, and the first step pays for compiling what all of them run.
  await runCycles(clients, 20, WARM_UP)
  const rows = []
  for (const width of inFlight) {
    rows.push(await measure(clients, width))
    printRow(rows.at(-1))
  }
  const costs = rows.map((row) => row.cost)
  console.log(`cost, dearest to cheapest: ${(Math.max(...costs) / Math.min(...costs)).toFixed(2)}`)
  const bare = await bareLoop(servers)
  const messages = await messagesPerCycle(servers)
  const { perCycle } = rows.at(-1)
  const plumbing = cost(perCycle) - perCycle.embedded
  console.log(
    `bare loop: ${bare.perSecond.toFixed(0)} messages/s, ${bare.cpuMsPerMessage.toFixed(2)} ms of CPU each. ` +
      `A cycle accepts ${messages.toFixed(1)} messages; without its simulated cluster it costs ` +
      `${(plumbing / (messages * bare.cpuMsPerMessage)).toFixed(1)} times what the loop costs for as many`,
  )
} finally {
  await stop()
}
