import { TerminalError } from '@ordeal/shared'
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

/** A server to be run until it is stopped or this process dies, whichever comes first. */
export interface ServerCommand {
  /** For messages: `Postgres`. */
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Record<string, string>
  /** Runs the server, and its supervisor, as somebody else. */
  readonly user?: { readonly uid: number; readonly gid: number } | null
  /** Sent one after the other, ask the server to end without waiting for its clients. */
  readonly stopSignals: readonly ('INT' | 'TERM')[]
  /** From the signal to stop until the server is killed; default 5. */
  readonly graceSeconds?: number
  /** Made, for the server's user alone, before the server starts, and removed once it has ended. */
  readonly temporaryDir: string | null
  /** Looks at each line of the server's log; anything but null means that the server is ready. */
  readonly ready: (line: string) => string | null
  /** Told each line of the server's log, for as long as it runs. */
  readonly onLine?: (line: string) => void
  /** Ends it when aborted, also before it is ready: the start fails then. */
  readonly signal?: AbortSignal
  /** Whether this process must not end by itself while the server runs. */
  readonly keepsParent?: boolean
}

/** A server that is ready. */
export interface SupervisedProcess {
  /** What `ready` returned. */
  readonly ready: string
  /** Of the server itself, not of its supervisor. */
  readonly pid: number
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>
  /** Ends the server and resolves when it and its temporary data are gone. Safe to call again. */
  readonly stop: () => Promise<void>
}

const DEFAULT_GRACE_SECONDS = 5
const READY_DEADLINE_MS = 60_000
const LOG_LINES_KEPT = 20
/** Begins the one line of the supervisor's own in the server's log. */
const PID_MARK = 'supervised process '

/**
 * A shell, rather than this program, watches over the server: it is there in milliseconds, needs a megabyte, and lives
 * on when every Node process is killed. Its standard input is a pipe that only the parent holds, so the kernel closes it
 * however the parent ends, kill -9 included. It must not die of a last word to a parent that is gone. It leads a process group of its own, out of reach of Ctrl-C, and ends the
 * whole group as its last act.
 */
const SUPERVISOR = `
signals=$1 grace=$2 temporary=$3
shift 3
trap '' PIPE
[ -z "$temporary" ] || mkdir -m 700 -- "$temporary" || exit 1
exec 3<&0
"$@" 3<&- </dev/null &
server=$!
printf '${PID_MARK}%s\\n' "$server"
{
  cat <&3 >/dev/null
  for signal in $signals; do kill -s "$signal" "$server"; done
  sleep "$grace"
  kill -s KILL "$server"
} 2>/dev/null &
exec 3<&-
wait "$server"
[ -z "$temporary" ] || rm -rf -- "$temporary"
kill -s KILL -- "-$$"
`

/** Starts a server and resolves when its log says that it is ready. Throws TerminalError `server-failed` when it ends first. */
export async function superviseProcess(command: ServerCommand): Promise<SupervisedProcess> {
  const grace = String(command.graceSeconds ?? DEFAULT_GRACE_SECONDS)
  const args = [command.stopSignals.join(' '), grace, command.temporaryDir ?? '', command.program, ...command.args]
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, `ordeal-${command.name.toLowerCase()}`, ...args], {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', ...command.env },
    stdio: 'pipe',
    ...(command.user ? { uid: command.user.uid, gid: command.user.gid } : {}),
  })
  child.stdin.on('error', () => undefined) // the supervisor may be gone already, which is what `stop` wants
  const ended = new Promise<Error | null>((resolve) => {
    child.once('error', resolve)
    child.once('close', () => resolve(null))
  })
  command.signal?.addEventListener('abort', () => child.stdin.end(), { once: true })
  const stop = async (): Promise<void> => {
    hold(child, true)
    child.stdin.end()
    await ended
  }
  try {
    const { ready, pid } = await waitUntilReady(child, command, ended)
    hold(child, command.keepsParent ?? false)
    return { ready, pid, ended: ended.then(() => undefined), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A server alone need not keep a process alive: a program whose own work is done may end, and its servers end with it. */
function hold(child: ChildProcess, on: boolean): void {
  const handles = [child, child.stdin, child.stdout, child.stderr] as unknown as Record<'ref' | 'unref', () => void>[]
  for (const handle of handles) handle[on ? 'ref' : 'unref']()
}

/** What `ready` makes of the server's log; throws with the last lines of it when that does not come. */
async function waitUntilReady(
  child: ChildProcess,
  command: ServerCommand,
  ended: Promise<Error | null>,
): Promise<{ ready: string; pid: number }> {
  const log: string[] = []
  const deadline = new AbortController()
  const isReady = new Promise<{ ready: string; pid: number }>((resolve) => {
    let [pid, ready]: [number | null, string | null] = [null, null]
    const read = (line: string): void => {
      if (pid === null && line.startsWith(PID_MARK)) pid = Number(line.slice(PID_MARK.length))
      else {
        log.push(line)
        if (log.length > LOG_LINES_KEPT) log.shift()
        command.onLine?.(line)
        ready = command.ready(line) ?? ready
      }
      // They come on different streams, in any order.
      if (pid !== null && ready !== null) resolve({ ready, pid })
    }
    for (const input of [child.stdout, child.stderr]) if (input) createInterface({ input }).on('line', read)
  })
  const failed = Promise.race([
    ended.then((cause) => ({ what: cause ? 'could not be started' : 'ended at once', cause })),
    setTimeout(READY_DEADLINE_MS, { what: 'was not ready within a minute', cause: null }, { signal: deadline.signal }),
  ]).then(({ what, cause }) => {
    throw new TerminalError('server-failed', [`${command.name} ${what}; its last words:`, ...log].join('\n  '), {
      cause,
    })
  })
  return Promise.race([isReady, failed]).finally(() => deadline.abort())
}
