import { z } from 'zod'

const schema = z.object({
  PORT: z.coerce.number().int().min(0).max(65535).default(8085),
  HOST: z.string().min(1).default('127.0.0.1'),
})

/** What the server's process is told by its environment. */
export interface ServerConfig {
  port: number
  host: string
}

/** Reads the environment; throws an Error that names every variable that is wrong. */
export function readServerConfig(env: Readonly<Record<string, string | undefined>> = process.env): ServerConfig {
  const parsed = schema.safeParse(env)
  if (!parsed.success)
    throw new Error(`the environment of the embedded cluster is wrong:\n${z.prettifyError(parsed.error)}`)
  return { port: parsed.data.PORT, host: parsed.data.HOST }
}
