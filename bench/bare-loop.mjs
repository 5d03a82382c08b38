import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { cpuSeconds } from './process-usage.mjs'

const STREAM = 'BARE'
const MESSAGES = 3000
const CONCURRENCY = 8

/** What an event of a cycle costs at the very least: fetched, one transaction of one insert, published with ack, acked. */
async function oneMessage({ pool, js }, message) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('insert into bare.inbox (message_id) values ($1) on conflict do nothing', [message.seq])
    await client.query('commit')
  } finally {
    client.release()
  }
  await js.publish('bare.out', message.data, { msgID: `out-${message.seq}` })
  message.ack()
}

/**
 * Runs the loop on the servers that the cycles ran on. Answers messages per second, and ms of CPU per message: of this
 * process, Postgres and NATS together.
 */
export async function bareLoop({ adminUrl, natsUrl }) {
  const pool = new pg.Pool({ connectionString: adminUrl, max: CONCURRENCY })
  const connection = await connect({ servers: natsUrl })
  try {
    await pool.query(
      'create schema if not exists bare; create table if not exists bare.inbox (message_id bigint primary key)',
    )
    const manager = await jetstreamManager(connection)
    await manager.streams.add({ name: STREAM, subjects: ['bare.>'], storage: 'file' })
    await manager.consumers.add(STREAM, { durable_name: 'bare', ack_policy: 'explicit', filter_subject: 'bare.in' })
    const js = jetstream(connection)
    const body = JSON.stringify({ data: 'x'.repeat(500) })
    await Promise.all(Array.from({ length: MESSAGES }, () => js.publish('bare.in', body)))
    const consumer = await js.consumers.get(STREAM, 'bare')
    const messages = await consumer.consume({ max_messages: CONCURRENCY * 2 })
    const [started, cpu, own] = [performance.now(), cpuSeconds(), process.cpuUsage()]
    let [taken, done] = [0, 0]
    const running = new Set()
    for await (const message of messages) {
      taken += 1
      const work = oneMessage({ pool, js }, message).finally(() => {
        running.delete(work)
        done += 1
      })
      running.add(work)
      if (taken === MESSAGES) break
      if (running.size >= CONCURRENCY) await Promise.race(running)
    }
    await Promise.all(running)
    const seconds = (performance.now() - started) / 1000
    const { user, system } = process.cpuUsage(own)
    const after = cpuSeconds()
    const cpuMs = (user + system) / 1000 + 1000 * (after.postgres - cpu.postgres + after.nats - cpu.nats)
    return { perSecond: done / seconds, cpuMsPerMessage: cpuMs / done }
  } finally {
    await connection.close()
    await pool.end()
  }
}
