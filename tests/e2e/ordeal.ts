import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../../cli/bin/ordeal.mjs', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A command on its way. */
export interface Running {
  readonly child: ChildProcess
  /** Resolves when a line of stderr matches. Rejects when the command ends first. */
  until(pattern: RegExp): Promise<void>
  /** What was written to stderr so far. */
  stderr(): string
  readonly ended: Promise<Ended>
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts the command line as a user would, with a state folder of its own. */
export function startOrdeal(args: readonly string[], stateHome: string, env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: ROOT,
    env: { ...process.env, XDG_STATE_HOME: stateHome, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
      for (const listener of listeners) listener()
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...written }))
  const until = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!pattern.test(written.stderr)) return
        listeners.delete(look)
        resolve()
      }
      listeners.add(look)
      void ended.then(({ stderr }) => reject(new Error(`the command ended before ${pattern} came:\n${stderr}`)))
      look()
    })
  return { child, until, stderr: () => written.stderr, ended }
}

/** Runs the command line to its end. */
export const ordeal = (args: readonly string[], stateHome: string): Promise<Ended> => startOrdeal(args, stateHome).ended

const GONE_DEADLINE_MS = 30_000

/**
 * Resolves when no process has this id. Asks again and again, since nobody is told when somebody else's child ends.
 * Throws after 30 s.
 */
export async function processGone(pid: number): Promise<void> {
  const deadline = performance.now() + GONE_DEADLINE_MS
  while (exists(pid)) {
    if (performance.now() > deadline) throw new Error(`process ${pid} is still there after ${GONE_DEADLINE_MS} ms`)
    await setTimeout(20)
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
