import { callback } from '../kernel/callback.js'
import { type Timer } from '../kernel/kernel.js'
import { HttpServer } from './http-server.js'
import { DEFAULT_PROFILE, type ImageProfile } from './image-profile.js'
import { type Image, type Program, type ProgramHost } from './program.js'
import { ConstantTime, ExponentialTime } from './service-time.js'

const TASK_MS = 2000

/** The assumption that stands for an image whose behaviour is not known, or known only from its profile. */
export function describeServer(image: string, ports: readonly number[], profile: ImageProfile | null): string {
  const { startup, work, distribution, cpu, workers, calls } = profile ?? DEFAULT_PROFILE
  const source = profile ? 'behaviour by its profile' : 'behaviour unknown'
  const where = ports.length > 0 ? `on port ${ports.join(', ')}` : 'on every port asked for (it declares none)'
  const time = distribution === 'constant' ? `${work} ms` : `${work} ms on average`
  const others = calls.length > 0 ? `, after ${calls.length} calls` : ''
  return (
    `image ${image}: ${source}; taken to listen ${where} ${startup / 1000} s after its start, ` +
    `to answer every request with 200 in ${time} (${cpu} ms of CPU)${others}, ${workers} at once, and to finish running ` +
    'requests on SIGTERM'
  )
}

/** The same for a container that is to end by itself. */
export function describeTask(image: string): string {
  return `image ${image}: behaviour unknown; taken to do its work in ${TASK_MS / 1000} s and to end with 0`
}

/**
 * Any image that is not built in: see `describeServer` and `describeTask`. It needs no other service unless its profile
 * says so, and ends by itself only where the manifest expects that of it.
 */
export const defaultImage: Image = (host, profile) =>
  host.runsToEnd ? new Task(host) : new DefaultProgram(host, profile ?? DEFAULT_PROFILE)

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

  constructor(
    private readonly host: ProgramHost,
    { startup, work, distribution, ...profile }: ImageProfile,
  ) {
    const random = host.kernel.stream('images/service-time')
    this.server = new HttpServer(host, {
      ports: host.ports.length === 0 ? 'all' : host.ports,
      workers: profile.workers,
      work: distribution === 'constant' ? new ConstantTime(work) : new ExponentialTime(random, work),
      cpuMs: profile.cpu,
      calls: profile.calls,
      callTimeoutMs: profile.timeout,
      immediate: new Set(profile.health),
    })
    host.kernel.after(startup, this, 'listen')
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
