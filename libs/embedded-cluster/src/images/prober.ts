import {
  createProber,
  PROBER_ENV,
  proberConfigSchema,
  type HttpRequest,
  type HttpTaker,
  type ListTaker,
  type Prober,
  type ProberConfig,
  type ProberHost,
  type Task,
} from '@ordeal/prober'
import { type Timer } from '../kernel/kernel.js'
import { ApiError } from '../store/api-error.js'
import { type CallError, type Caller } from '../traffic/call.js'
import { parseDestination } from '../traffic/routing.js'
import { FailingProgram, type Image, type Program, type ProgramHost } from './program.js'

/** A read of the Kubernetes API takes about this long. */
const API_READ_MS = 2

/** `ordeal/prober:1`: the program that samples probes, the same code as on a real cluster, in virtual time. */
export const prober: Image = (host) => {
  const config = readConfig(host.env.get(PROBER_ENV))
  return typeof config === 'string' ? new FailingProgram(host, config) : new ProberProgram(host, config)
}

class ProberProgram implements Program {
  private readonly prober: Prober
  private ended = false

  constructor(
    private readonly host: ProgramHost,
    config: ProberConfig,
  ) {
    this.prober = createProber(new VirtualHost(host), config)
    this.prober.start()
  }

  terminate(): void {
    if (this.ended) return
    this.kill()
    this.host.exit(0)
  }

  kill(): void {
    this.ended = true
    this.prober.stop()
  }
}

/** The prober's world, in virtual time. */
class VirtualHost implements ProberHost {
  constructor(private readonly host: ProgramHost) {}

  now(): number {
    return this.host.kernel.now
  }

  at(timeMs: number, task: Task): Timer {
    return this.host.kernel.at(timeMs, task, 'run')
  }

  http({ url, timeoutMs }: HttpRequest, taker: HttpTaker): void {
    const to = parseDestination(url)
    const error = `cannot request ${url}: only http:// is modelled`
    if (to) this.host.get(to, timeoutMs, new Request(taker))
    else this.host.kernel.after(0, taker, 'answered', { status: null, error })
  }

  list(path: string, taker: ListTaker): void {
    this.host.kernel.after(API_READ_MS, this, 'read', path, taker)
  }

  /** For the kernel. */
  read(path: string, taker: ListTaker): void {
    taker.listed(list(this.host, path))
  }

  log(line: string): void {
    this.host.log(line)
  }
}

class Request implements Caller {
  constructor(private readonly taker: HttpTaker) {}

  answered(status: number | null, error: CallError | null): void {
    this.taker.answered({ status, error })
  }
}

function list(host: ProgramHost, path: string): { objects: unknown[] | null; error: string | null } {
  try {
    return { objects: host.list(path), error: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { objects: null, error: error.message }
  }
}

function readConfig(text: string | undefined): ProberConfig | string {
  if (!text) return `${PROBER_ENV} is not set`
  try {
    return proberConfigSchema.parse(JSON.parse(text))
  } catch (error) {
    return `${PROBER_ENV}: ${error instanceof Error ? error.message : String(error)}`
  }
}
