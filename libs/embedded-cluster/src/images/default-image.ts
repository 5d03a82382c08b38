import { callback } from '../kernel/callback.js'
import { type Timer } from '../kernel/kernel.js'
import { HttpServer } from './http-server.js'
import { type Image, type Program, type ProgramHost } from './program.js'

const STARTUP_MS = 1000
const WORK_MS = 2
/** Of the work, so much is CPU time. */
const CPU_MS = 1
const WORKERS = 16
const TASK_MS = 2000

/** The assumption that stands for an image whose behaviour is not known. */
export function describeDefault(image: string, ports: readonly number[]): string {
  const where = ports.length > 0 ? `on port ${ports.join(', ')}` : 'on every port asked for (it declares none)'
  return (
    `image ${image}: behaviour unknown; taken to listen ${where} ${STARTUP_MS / 1000} s after its start, ` +
    `to answer every request with 200 in ${WORK_MS} ms (${CPU_MS} ms of CPU), ${WORKERS} at once, and to finish running requests on SIGTERM`
  )
}

/** The same for a container that is to end by itself. */
export function describeTask(image: string): string {
  return `image ${image}: behaviour unknown; taken to do its work in ${TASK_MS / 1000} s and to end with 0`
}

/**
 * Any image that is not built in: see `describeDefault` and `describeTask`. It needs no other service, and ends by itself
 * only where the manifest expects that of it.
 */
export const defaultImage: Image = (host) => (host.runsToEnd ? new Task(host) : new DefaultProgram(host))

class Task implements Program {
  private readonly timer: Timer

  constructor(private readonly host: ProgramHost) {
    this.timer = host.kernel.after(TASK_MS, host, 'exit', 0)
  }

  terminate(): void {
    this.timer.cancel()
    this.host.exit(0)
  }

  kill(): void {
    this.timer.cancel()
  }
}

class DefaultProgram implements Program {
  private readonly server: HttpServer
  private listening = false
  private ended = false

  constructor(private readonly host: ProgramHost) {
    this.server = new HttpServer(host, {
      ports: host.ports.length === 0 ? 'all' : host.ports,
      workers: WORKERS,
      workMs: WORK_MS,
      cpuMs: CPU_MS,
      calls: [],
      callTimeoutMs: 0,
      immediate: new Set(),
    })
    host.kernel.after(STARTUP_MS, this, 'listen')
  }

  terminate(): void {
    if (this.ended) return
    if (this.listening) this.server.drain(callback(this, 'exit'))
    else this.exit()
  }

  kill(): void {
    this.ended = true
    this.server.kill()
  }

  /** For the kernel. */
  listen(): void {
    if (this.ended) return
    this.listening = true
    this.server.listen()
  }

  /** Also when the server is drained. */
  exit(): void {
    if (this.ended) return
    this.kill()
    this.host.exit(0)
  }
}
