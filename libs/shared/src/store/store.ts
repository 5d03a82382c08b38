import pg from 'pg'
import { within } from '../health/within.js'
import { tenantId as tenantIdSchema, type TenantId } from '../ids.js'
import { type Logger } from '../logging/logger.js'
import { translateStoreError } from './errors.js'
import { listenOn, type Listener } from './listen.js'
import { type Tx } from './tx.js'

/** Limits that keep one stuck statement or transaction from holding up the rest, in milliseconds. */
const TIMEOUTS = {
  statement_timeout: 15_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 20_000,
  // It covers the wait for a free connection too, and in a burst that is not an outage yet.
  connectionTimeoutMillis: 15_000,
  idleTimeoutMillis: 10_000,
}

export interface StoreConfig {
  /** Connects as the role without rights to bypass row-level security. */
  readonly databaseUrl: string
  /** Connects as the role that sees plumbing rows (ids only) of all tenants. */
  readonly plumbingDatabaseUrl: string
  /** Connections for tenants' transactions; plumbing takes up to 3 more, one of them to listen. */
  readonly poolSize: number
  /** Shown in `pg_stat_activity`. */
  readonly name: string
}

/** Postgres, by what a transaction may see. Everything throws StoreUnavailableError during an outage. */
export interface Store {
  /** Runs `work` in a transaction that sees and writes this tenant's rows only. */
  withTenant<T>(tenantId: TenantId, work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `work` in a transaction of no tenant: it sees no row, only what look-up functions answer. */
  withoutTenant<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** One statement of no tenant, in one round trip. */
  lookUp<Row>(text: string, values: readonly unknown[]): Promise<Row[]>
  /**
   * Runs `work` in a transaction of the plumbing role: inbox, outbox, phases of every tenant, and nothing else. Those
   * that name the same `turn` (letters, dots) run one after another, in all processes.
   */
  withPlumbing<T>(work: (tx: Tx) => Promise<T>, turn?: string): Promise<T>
  /** Calls `onNotify` for each notification, and once after each (re)connection, since some may have been missed. */
  listen(channel: string, onNotify: (payload: string) => void): Listener
  /** Throws when Postgres does not answer within `timeoutMs`. */
  ping(timeoutMs: number): Promise<void>
  /** Waits for running transactions and closes every connection. Safe to call twice. */
  close(): Promise<void>
}

async function transact<T>(pool: pg.Pool, opening: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translateStoreError(error)
  })
  let broken: Error | undefined
  try {
    await client.query(opening)
    const result = await work({
      query: async <Row>(text: string, values: readonly unknown[] = []) =>
        (await client.query(text, [...values])).rows as Row[],
    })
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => (broken = cause))
    throw translateStoreError(error)
  } finally {
    client.release(broken)
  }
}

function createPool(connectionString: string, max: number, config: { name: string; log: Logger }): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, application_name: config.name, ...TIMEOUTS })
  const lost = (error: Error): void => config.log.debug('a Postgres connection was lost', { reason: error.message })
  pool.on('error', lost)
  // The pool listens on idle clients only; without this an outage during a transaction would end the process.
  pool.on('connect', (client) => client.on('error', lost))
  return pool
}

/** Taken in a statement of its own, so that what follows sees what the one before committed. */
function takeTurn(name: string): string {
  if (!/^[a-z.]+$/.test(name)) throw new Error(`'${name}' cannot name a turn`)
  return `select pg_advisory_xact_lock(hashtextextended('${name}', 0))`
}

/** Opens a store. Connections are made when first needed. */
export function createStore(config: StoreConfig, log: Logger): Store {
  const app = createPool(config.databaseUrl, config.poolSize, { name: config.name, log })
  const plumbing = createPool(config.plumbingDatabaseUrl, 2, { name: `${config.name} plumbing`, log })
  const listeners = new Set<Listener>()
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await Promise.all([...listeners].map((listener) => listener.close()))
    await Promise.all([app.end(), plumbing.end()])
  }
  return {
    withTenant: (tenant, work) => {
      // The id stands inside the statement, which saves a round trip; its pattern has no quote.
      const opening = `begin; set local ordeal.tenant = '${tenantIdSchema.parse(tenant)}'`
      return transact(app, opening, work)
    },
    withoutTenant: (work) => transact(app, 'begin', work),
    lookUp: async <Row>(text: string, values: readonly unknown[]) => {
      const { rows } = await app.query(text, [...values]).catch((error: unknown) => {
        throw translateStoreError(error)
      })
      return rows as Row[]
    },
    withPlumbing: (work, turn) => transact(plumbing, turn ? `begin; ${takeTurn(turn)}` : 'begin', work),
    listen: (channel, onNotify) => {
      const connect = { connectionString: config.plumbingDatabaseUrl, application_name: `${config.name} listener` }
      const listener = listenOn(connect, channel, { onNotify, log })
      listeners.add(listener)
      return listener
    },
    ping: async (timeoutMs) => {
      const answers = [app, plumbing].map((pool) => within(timeoutMs, 'Postgres', pool.query('select 1')))
      await Promise.all(answers)
    },
    close: () => (closing ??= close()),
  }
}
