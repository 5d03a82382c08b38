import { z } from 'zod'
import { ConfigError, type Environment, parseEnvironment } from '../config/service-config.js'
import { type MigrateOptions } from './migrate.js'

const url = (what: string): z.ZodType<URL, string> =>
  z
    .string({ error: `is not set; give the ${what}` })
    .refine((text) => URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol), `is not a Postgres URL`)
    .transform((text) => new URL(text))

const variables = z.object({
  /** Postgres as the owner of the schemas, who may create roles. Services never see it. */
  ADMIN_DATABASE_URL: url('Postgres URL of the owner of the schemas'),
  /** The same two that the services get, so that there is one place where the roles' passwords stand. */
  DATABASE_URL: url('Postgres URL that the services get'),
  PLUMBING_DATABASE_URL: url('Postgres URL that the services get'),
})

function passwordOf(login: URL, variable: string, role: string): string {
  if (login.username !== role) throw new ConfigError([`${variable} logs in as '${login.username}', not as ${role}`])
  if (login.password === '') throw new ConfigError([`${variable} has no password for ${role}`])
  return decodeURIComponent(login.password)
}

/** What the migration program is told by its environment. Throws ConfigError. */
export function readMigrateConfig(environment: Environment): Pick<MigrateOptions, 'adminUrl' | 'passwords'> {
  const { ADMIN_DATABASE_URL, DATABASE_URL, PLUMBING_DATABASE_URL } = parseEnvironment(variables, environment)
  return {
    adminUrl: ADMIN_DATABASE_URL.href,
    passwords: {
      app: passwordOf(DATABASE_URL, 'DATABASE_URL', 'ordeal_app'),
      plumbing: passwordOf(PLUMBING_DATABASE_URL, 'PLUMBING_DATABASE_URL', 'ordeal_plumbing'),
    },
  }
}
