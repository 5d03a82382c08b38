import { main } from './program.js'

/** Ends at once; the supervisors of the servers notice it and end them. */
function crash(thrown: unknown): never {
  const what = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  process.stderr.write(`\nordeal: a bug: ${what}\n`)
  process.exit(1)
}

process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)
/** A slow reader at the other end of a pipe gets all of it; one that went away is not waited for. */
const written = (stream: NodeJS.WriteStream): Promise<void> => new Promise((done) => stream.write('', () => done()))

process.exitCode = await main(process.argv)
await Promise.all([written(process.stdout), written(process.stderr)])
// Whatever a library left open must not keep the command from ending; all that matters was stopped and awaited.
process.exit()
