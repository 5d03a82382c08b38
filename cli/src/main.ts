import { main } from './program.js'

/** Ends at once; the supervisors of the servers notice it and end them. */
function crash(thrown: unknown): never {
  const what = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  process.stderr.write(`\nordeal: a bug: ${what}\n`)
  process.exit(1)
}

process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)
process.exitCode = await main(process.argv)
// Whatever a library left open must not keep the command from ending; all that matters was stopped and awaited.
process.exit()
