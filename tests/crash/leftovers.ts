import { setTimeout as sleep } from 'node:timers/promises'
import { deadLetters } from '@ordeal/shared/testing/servers'
import { SERVICES, type Fleet } from './fleet.js'

const WORKING = SERVICES.filter((service) => service !== 'gateway')

/** A service that takes no part in the end of a cycle may learn of it a little later; an orphan takes a lease to find. */
const PATIENCE_MS = 15_000
const AGAIN_MS = 200

/** Everything that should not be there once all cycles have ended, in words; what goes by itself soon is no leftover. */
export async function leftovers(fleet: Fleet): Promise<string[]> {
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(AGAIN_MS)) {
    const found = await look(fleet)
    if (found.length === 0 || performance.now() > deadline) return found
  }
}

async function look(fleet: Fleet): Promise<string[]> {
  const clusters = (await (await fetch(`${fleet.embeddedUrl}/clusters`)).json()) as { clusters: { id: string }[] }
  return [
    ...clusters.clusters.map(({ id }) => `cluster ${id}`),
    ...(await unfinished(fleet)),
    ...(await unpublished(fleet)),
    ...(await repeated(fleet)),
    ...(await deadLetters(fleet.servers.natsUrl)).map((subject) => `dead letter ${subject}`),
  ]
}

const query = <Row>(fleet: Fleet, sql: string): Promise<Row[]> =>
  fleet.servers.store.withPlumbing((tx) => tx.query<Row>(sql))

/** Phases that wait or run; a deadline that is not due waits for nothing. */
async function unfinished(fleet: Fleet): Promise<string[]> {
  const found: string[] = []
  for (const service of WORKING) {
    const rows = await query<{ cycle_id: string; phase: string; state: string }>(
      fleet,
      `select cycle_id, phase, state from ${service}.phases
       where state = 'running' or (state = 'queued' and run_after <= now())`,
    )
    found.push(...rows.map((row) => `${service}'s ${row.phase} of ${row.cycle_id} is ${row.state}`))
  }
  return found
}

async function unpublished(fleet: Fleet): Promise<string[]> {
  const found: string[] = []
  for (const service of SERVICES) {
    const rows = await query<{ subject: string }>(
      fleet,
      `select subject from ${service}.outbox where published_at is null`,
    )
    found.push(...rows.map((row) => `${service} has not published ${row.subject}`))
  }
  return found
}

/** Effects that a cycle must have once: its end, the end of each run, each question and answer, each kept document of a revision. */
async function repeated(fleet: Fleet): Promise<string[]> {
  const events = SERVICES.map((service) => `select cycle_id, subject, envelope from ${service}.outbox`).join(
    ' union all ',
  )
  const said = await query<{ subject: string; revision: string; times: string }>(
    fleet,
    `select subject, envelope->>'revision' as revision, count(*) as times from (${events}) as said
     group by subject, envelope->>'revision', envelope->'data'->>'proposal' having count(*) > 1`,
  )
  const kept = await query<{ cycle_id: string; kind: string; name: string; revision: string; times: string }>(
    fleet,
    `select cycle_id, kind, name, revision, count(*) as times from shared.artefacts
     where kind in ('run', 'verdict', 'diagnosis', 'hypothesis', 'measurement', 'revision', 'results', 'report', 'timing')
     group by cycle_id, kind, name, revision having count(*) > 1`,
  )
  return [
    ...said.map((row) => `${row.subject} of r${row.revision} was said ${row.times} times`),
    ...kept.map((row) => `${row.cycle_id} has ${row.times} of ${row.kind} ${row.name} r${row.revision}`),
  ]
}

/** How often holders vanished: proof that kills hit work. */
export async function lostLeases(fleet: Fleet): Promise<number> {
  const sums = WORKING.map((service) => `select coalesce(sum(lost_leases), 0) as lost from ${service}.phases`)
  const [row] = await query<{ lost: string }>(
    fleet,
    `select sum(lost) as lost from (${sums.join(' union all ')}) as all_of_them`,
  )
  return Number(row?.lost ?? 0)
}
