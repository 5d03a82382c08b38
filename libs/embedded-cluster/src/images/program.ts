import { type ContainerCompute } from '../compute/container-compute.js'
import { type Kernel, type Timer } from '../kernel/kernel.js'
import { type Call, type Caller } from '../traffic/call.js'
import { type Peer } from '../traffic/peer.js'
import { type Destination } from '../traffic/routing.js'
import { type ImageProfile } from './image-profile.js'

/** What a program sees of its container. Times are virtual milliseconds. */
export interface ProgramHost {
  readonly kernel: Kernel
  readonly peer: Peer
  readonly hostname: string
  readonly env: ReadonlyMap<string, string>
  /** Ports that the manifest declares for the container or names in its probes. */
  readonly ports: readonly number[]
  /** The command and arguments that the manifest gives. */
  readonly command: readonly string[]
  /** Whether it is to end when its work is done: an init container, or one of a pod that is not restarted. */
  readonly runsToEnd: boolean
  /** CPU and memory of the container. */
  readonly compute: ContainerCompute
  /** Sends a GET from the pod. */
  get(to: Destination, timeoutMs: number, caller: Caller): Call
  /** Reads a list from the Kubernetes API; throws ApiError. */
  list(path: string): unknown[]
  log(line: string): void
  /** Ends the process; the program's own resources must be let go before. Not to be called while starting. */
  exit(code: number): void
}

/** A running program. */
export interface Program {
  /** SIGTERM arrived. */
  terminate(): void
  /** SIGKILL, or the container is gone: lets everything go at once, and never calls its host again. */
  kill(): void
}

/** Starts the image's program in a container; what is not built in heeds its profile, if it has one. */
export type Image = (host: ProgramHost, profile: ImageProfile | null) => Program

/** A process that cannot start: it says why and ends with 2. */
export class FailingProgram implements Program {
  private readonly timer: Timer

  constructor(
    private readonly host: ProgramHost,
    private readonly problem: string,
  ) {
    this.timer = host.kernel.after(1, this, 'fail')
  }

  /** For the kernel. */
  fail(): void {
    this.host.log(this.problem)
    this.host.exit(2)
  }

  terminate(): void {
    // It ends at once anyway.
  }

  kill(): void {
    this.timer.cancel()
  }
}
