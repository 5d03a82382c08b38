import { type Environment, parseEnvironment, tenantId } from '@ordeal/shared'
import { z } from 'zod'
import { type Installation } from './ports.js'

const variables = z.object({
  /** The tenant of the first key. */
  ORDEAL_TENANT: tenantId.optional(),
  /** A key that lets somebody in before there are others; `ordeal_` and 43 random characters, say. */
  ORDEAL_API_KEY: z.string().min(32, 'is shorter than 32 characters').max(200).optional(),
})

const adminVariables = z.object({
  /** Lets the operator of the installation make tenants over HTTP. */
  ORDEAL_ADMIN_KEY: z.string().min(32, 'is shorter than 32 characters').max(200).optional(),
})

const modelVariables = z.object({
  /** Hosts, with their port where it is not the usual one, at which tenants may have models of their own: `a.example,b:8080`. */
  ORDEAL_MODEL_HOSTS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((host) => host.trim())
        .filter(Boolean),
    ),
})

/** What whoever runs the installation allows: without a word, no tenants over HTTP and no models of theirs. Throws ConfigError. */
export const readInstallation = (environment: Environment): Installation => ({
  adminKey: parseEnvironment(adminVariables, environment).ORDEAL_ADMIN_KEY ?? null,
  modelHosts: parseEnvironment(modelVariables, environment).ORDEAL_MODEL_HOSTS,
})

/** The first tenant and its key, or null when none is given. Throws ConfigError. */
export function readBootstrap(environment: Environment): { tenant: string; apiKey: string } | null {
  const { ORDEAL_TENANT, ORDEAL_API_KEY } = parseEnvironment(variables, environment)
  return ORDEAL_API_KEY ? { tenant: ORDEAL_TENANT ?? 'default', apiKey: ORDEAL_API_KEY } : null
}
