import { callback } from '../kernel/callback.js'
import { parseDestination } from '../traffic/routing.js'
import { parseGoDuration } from './go-duration.js'
import { HttpServer } from './http-server.js'
import { FailingProgram, type Image, type Program, type ProgramHost } from './program.js'
import { ConstantTime } from './service-time.js'

/** How long its shutdown waits for running requests. */
const DRAIN_MS = 5000
/** Measured on a real node: what one request on a new connection costs it, most of it in the kernel. */
const CPU_MS = 0.34

interface Settings {
  readonly port: number
  readonly startupMs: number
  readonly workMs: number
  readonly workers: number
  readonly calls: string
  readonly timeoutMs: number
}

/**
 * `ordeal/testapp:1`: a web service set by its environment (PORT, STARTUP, WORK, WORKERS, CALLS, TIMEOUT, STATEFUL).
 * GET /healthz answers 200 once it listens, without a worker; any other path does the work and the calls and answers
 * 200, or 502 when a call has no answer below 500. SIGTERM: listens no more at once, finishes what runs for up to 5 s,
 * exits 0. A setting it cannot read ends it with 2. STATEFUL changes only the text of the answer, which nobody reads.
 */
export const testapp: Image = (host) => {
  const settings = readSettings(host.env)
  return 'problem' in settings ? new FailingProgram(host, settings.problem) : new Testapp(host, settings)
}

class Testapp implements Program {
  private readonly server: HttpServer
  private listening = false
  private ended = false

  constructor(
    private readonly host: ProgramHost,
    private readonly settings: Settings,
  ) {
    this.server = new HttpServer(host, {
      ports: [settings.port],
      workers: settings.workers,
      work: new ConstantTime(Math.max(0, settings.workMs)),
      cpuMs: CPU_MS,
      calls: parseCalls(settings.calls),
      callTimeoutMs: settings.timeoutMs > 0 ? settings.timeoutMs : NO_TIMEOUT_MS,
      immediate: new Set(['/healthz']),
    })
    host.kernel.after(settings.startupMs, this, 'listen')
  }

  terminate(): void {
    if (this.ended) return
    if (!this.listening) return this.exit(0)
    this.server.drain(callback(this, 'exit', 0))
    this.host.kernel.after(DRAIN_MS, this, 'exit', 0)
  }

  kill(): void {
    this.ended = true
    this.server.kill()
  }

  /** For the kernel. */
  listen(): void {
    if (this.ended) return
    this.host.log(`listening on :${this.settings.port}`)
    if (!isPort(this.settings.port)) {
      this.host.log(`listen tcp: address ${this.settings.port}: invalid port`)
      return this.exit(1)
    }
    this.listening = true
    this.server.listen()
  }

  /** Also when the server is drained, or has been given up. */
  exit(code: number): void {
    if (this.ended) return
    this.kill()
    this.host.exit(code)
  }
}

/** Go's http.Client with a time-out of zero waits for ever. */
const NO_TIMEOUT_MS = 24 * 3_600_000

function readSettings(env: ReadonlyMap<string, string>): Settings | { problem: string } {
  const value = (name: string, fallback: string) => env.get(name) || fallback
  const problems: string[] = []
  const duration = (name: string, fallback: string) => {
    const ms = parseGoDuration(value(name, fallback))
    if (ms === null) problems.push(`${name}: time: invalid duration "${value(name, fallback)}"`)
    return ms ?? 0
  }
  // In the order in which the program reads them: the first that is wrong is the one it reports.
  const workMs = duration('WORK', '2ms')
  const timeoutMs = duration('TIMEOUT', '2s')
  const workers = value('WORKERS', '8')
  if (!/^\+?\d+$/.test(workers) || Number(workers) < 1) problems.push('WORKERS: a positive number')
  const startupMs = duration('STARTUP', '0s')
  const problem = problems[0]
  if (problem !== undefined) return { problem }
  const port = Number(value('PORT', '8080'))
  return { workMs, timeoutMs, workers: Number(workers), startupMs, port, calls: value('CALLS', '') }
}

const parseCalls = (calls: string) =>
  calls === '' ? [] : calls.split(',').map((call) => call.split('|').map(parseDestination))

const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65536
