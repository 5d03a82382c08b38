import { type Environment, parseEnvironment, tenantId } from '@ordeal/shared'
import { z } from 'zod'

const variables = z.object({
  /** The tenant of the first key. */
  ORDEAL_TENANT: tenantId.optional(),
  /** A key that lets somebody in before there are others; `ordeal_` and 43 random characters, say. */
  ORDEAL_API_KEY: z.string().min(32, 'is shorter than 32 characters').max(200).optional(),
})

/** The first tenant and its key, or null when none is given. Throws ConfigError. */
export function readBootstrap(environment: Environment): { tenant: string; apiKey: string } | null {
  const { ORDEAL_TENANT, ORDEAL_API_KEY } = parseEnvironment(variables, environment)
  return ORDEAL_API_KEY ? { tenant: ORDEAL_TENANT ?? 'default', apiKey: ORDEAL_API_KEY } : null
}
