import { z } from 'zod'
import { durationSchema } from '../duration.js'
import { TerminalError } from '../errors.js'

/** Thrown at boot; the message lists every bad variable, never a value. */
export class ConfigError extends TerminalError {
  constructor(problems: readonly string[]) {
    super('config-invalid', `the configuration cannot be used:\n  ${problems.join('\n  ')}`, { details: { problems } })
  }
}

/** Environment variables by name, as a record that was passed in. */
export type Environment = Readonly<Record<string, string | undefined>>

const url = (what: string, ...protocols: string[]): z.ZodType<string> =>
  z
    .string({ error: `is not set; give the ${what}` })
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `is not a ${what} (${protocols.map((p) => `${p}//…`).join(' or ')})`,
    )

const integer = (min: number, max: number): z.ZodType<number, string> =>
  z.string().regex(/^\d+$/, 'is not a whole number').transform(Number).pipe(z.number().min(min).max(max))

const key = z
  .string({ error: 'is not set; give 32 random bytes in base64 (openssl rand -base64 32)' })
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((bytes) => bytes.length === 32, 'is not 32 bytes in base64 (openssl rand -base64 32)')

const serviceVariables = z.object({
  /** Postgres as `ordeal_app`. */
  DATABASE_URL: url('Postgres URL', 'postgres:', 'postgresql:'),
  /** Postgres as `ordeal_plumbing`. */
  PLUMBING_DATABASE_URL: url('Postgres URL', 'postgres:', 'postgresql:'),
  NATS_URL: url('NATS URL', 'nats:', 'tls:'),
  /** Seals documents with credentials. */
  ORDEAL_VAULT_KEY: key,
  /** Root of the embedded cluster's server, where there is one. */
  EMBEDDED_CLUSTER_URL: url('HTTP URL', 'http:', 'https:').optional(),
  HOST: z.string().min(1, 'is empty').default('127.0.0.1'),
  /** 0 takes a free port. */
  PORT: integer(0, 65_535).prefault('0'),
  LOG_LEVEL: z.enum(['error', 'warn', 'info', 'debug', 'silent']).default('info'),
  DATABASE_POOL: integer(1, 100).prefault('5'),
  /** Messages accepted at once. */
  MESSAGE_CONCURRENCY: integer(1, 256).prefault('8'),
  /** Phases run at once by this process; final ones (clean-up) have as many slots again. */
  PHASE_CONCURRENCY: integer(1, 1000).prefault('8'),
  /** Phases of one tenant that run at once in all replicas of the service. */
  TENANT_CONCURRENCY: integer(1, 10_000).prefault('50'),
  /** How long a phase is held without a heartbeat: a crash is noticed after this. */
  PHASE_LEASE: durationSchema.prefault('8s'),
  /** How long draining may take after SIGTERM. */
  DRAIN_TIMEOUT: durationSchema.prefault('20s'),
})

/** Everything that a service's runtime can be told, checked. */
export interface ServiceConfig {
  readonly databaseUrl: string
  readonly plumbingDatabaseUrl: string
  readonly natsUrl: string
  readonly vaultKey: Uint8Array
  readonly embeddedClusterUrl: string | null
  readonly host: string
  readonly port: number
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug' | 'silent'
  readonly databasePool: number
  readonly messageConcurrency: number
  readonly phaseConcurrency: number
  readonly tenantConcurrency: number
  readonly leaseMs: number
  readonly drainMs: number
}

/** Reads variables by a schema. Throws ConfigError that lists every bad one at once. */
export function parseEnvironment<T>(schema: z.ZodType<T>, environment: Environment): T {
  // An empty variable is one that was not given: compose files and shells cannot unset.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`))
}

/** The configuration of a service. Throws ConfigError. */
export function parseServiceConfig(environment: Environment): ServiceConfig {
  const v = parseEnvironment(serviceVariables, environment)
  return {
    databaseUrl: v.DATABASE_URL,
    plumbingDatabaseUrl: v.PLUMBING_DATABASE_URL,
    natsUrl: v.NATS_URL,
    vaultKey: v.ORDEAL_VAULT_KEY,
    embeddedClusterUrl: v.EMBEDDED_CLUSTER_URL ?? null,
    host: v.HOST,
    port: v.PORT,
    logLevel: v.LOG_LEVEL,
    databasePool: v.DATABASE_POOL,
    messageConcurrency: v.MESSAGE_CONCURRENCY,
    phaseConcurrency: v.PHASE_CONCURRENCY,
    tenantConcurrency: v.TENANT_CONCURRENCY,
    leaseMs: v.PHASE_LEASE,
    drainMs: v.DRAIN_TIMEOUT,
  }
}

/** The process's environment. Called once, by a main program; everything else is given what it needs. */
export const readEnvironment = (): Environment => ({ ...process.env })
