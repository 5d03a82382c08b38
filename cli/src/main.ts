import { main } from './program.js'

process.exitCode = await main(process.argv)
// Whatever a library left open must not keep the command from ending; all that matters was stopped and awaited.
process.exit()
