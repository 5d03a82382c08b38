import { createEmbeddedServer } from './embedded-server.js'
import { readServerConfig } from './server-config.js'

/** The server as a process of its own: prints its address, ends on SIGTERM or SIGINT, at once on the second one. */
async function main(): Promise<void> {
  const report = (error: unknown): void => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  }
  const server = await createEmbeddedServer({ ...readServerConfig(), report })
  process.stdout.write(`${server.url}\n`)
  let stopping = false
  const stop = (): void => {
    if (stopping) process.exit(1)
    stopping = true
    void server.close()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
