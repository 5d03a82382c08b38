import {
  runScript,
  type HttpRequest,
  type HttpTaker,
  type ListTaker,
  type ProberHost,
  type ScriptRun,
  type ScriptStep,
  type Task,
} from '@ordeal/prober'
import { type Timer } from '../kernel/kernel.js'
import { ApiError } from '../store/api-error.js'
import { type CallError, type Caller } from '../traffic/call.js'
import { type Destination, parseDestination } from '../traffic/routing.js'
import { type ProgramHost } from './program.js'

/** A read of the Kubernetes API takes about this long. */
const API_READ_MS = 2

/** Where a prober runs. */
export type ProberPlace = Pick<ProgramHost, 'kernel' | 'get' | 'list' | 'log'>

/** The prober's world, in virtual time. */
export class VirtualHost implements ProberHost {
  constructor(private readonly host: ProberPlace) {}

  now(): number {
    return this.host.kernel.now
  }

  at(timeMs: number, task: Task): Timer {
    return this.host.kernel.at(timeMs, task, 'run')
  }

  http({ url, timeoutMs, headers = {} }: HttpRequest, taker: HttpTaker): void {
    const to = withAuthority(parseDestination(url), headers.host)
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

  script(run: ScriptRun): ScriptStep {
    return runScript(run)
  }

  log(line: string): void {
    this.host.log(line)
  }
}

const withAuthority = (to: Destination | null, authority: string | undefined): Destination | null =>
  to && authority !== undefined ? { ...to, authority } : to

class Request implements Caller {
  constructor(private readonly taker: HttpTaker) {}

  answered(status: number | null, error: CallError | null): void {
    this.taker.answered({ status, error })
  }
}

function list(host: ProberPlace, path: string): { objects: unknown[] | null; error: string | null } {
  try {
    return { objects: host.list(path), error: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { objects: null, error: error.message }
  }
}
