import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { keepRunning, type KeptProcess } from '@ordeal/local-servers'

/** One of our own programs, run as a process of its own. */
export interface Program {
  /** For messages and logs: `experiment 2`. */
  readonly name: string
  /** Package whose main program it is. */
  readonly packageName: string
  /** All that it is told; it takes a free port when it starts first, and keeps it. */
  readonly environment: Readonly<Record<string, string>>
  /** Its address, from the line of its log that gives it. */
  readonly url: (line: string) => string | null
  /** Told each line of its log. */
  readonly onLine: (line: string) => void
  /** Tells people that it ended and that it is back. */
  readonly tell: (message: string) => void
  /** From the signal to stop until it is killed. */
  readonly graceSeconds: number
}

const require = createRequire(import.meta.url)
const mainOf = (packageName: string): string =>
  join(dirname(require.resolve(`${packageName}/package.json`)), 'dist/main.js')

/**
 * Starts a program and keeps it running: when it ends by itself it comes back at the same address, with a
 * message. It gets SIGTERM when this process ends, whatever ends it.
 */
export function startProgram(program: Program): Promise<KeptProcess> {
  const { name, environment, graceSeconds, url, onLine, tell } = program
  const main = mainOf(program.packageName)
  return keepRunning({
    command: (_, address) => ({
      name,
      program: process.execPath,
      args: ['--enable-source-maps', main],
      env: { ...environment, PORT: address ? new URL(address).port : '0' },
      stopSignals: ['TERM'],
      graceSeconds,
      temporaryDir: null,
      ready: url,
      onLine,
      keepsParent: true,
    }),
    onEnd: ({ reason, againInMs }) => tell(`${name}: ${reason}; it is started again in ${againInMs / 1000} s`),
    onStart: (pid) => tell(`${name} is back as process ${pid}`),
  })
}
