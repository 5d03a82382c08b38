import { type ContainerCompute } from '../compute/container-compute.js'
import { type Kernel } from '../kernel/kernel.js'
import { type ProgramHost } from '../images/program.js'
import { type Call, type Caller } from '../traffic/call.js'
import { type Peer } from '../traffic/peer.js'
import { type Destination } from '../traffic/routing.js'
import { type ContainerLog } from './logs.js'
import { type PodContext } from './pod-context.js'

/** Hears of the end of a process. */
interface Parent {
  exited(code: number, instance: number): void
}

export interface InstanceOptions {
  readonly env: ReadonlyMap<string, string>
  readonly ports: readonly number[]
  readonly command: readonly string[]
  readonly runsToEnd: boolean
  readonly compute: ContainerCompute
  readonly log: ContainerLog
  /** Number of the container's instance, by which its end is told from that of an earlier one. */
  readonly instance: number
}

/** What one instance of a container gives its program. */
export class ContainerHost implements ProgramHost {
  readonly kernel: Kernel
  readonly peer: Peer
  readonly hostname: string
  readonly env: ReadonlyMap<string, string>
  readonly ports: readonly number[]
  readonly command: readonly string[]
  readonly runsToEnd: boolean
  readonly compute: ContainerCompute
  private readonly output: ContainerLog
  private readonly instance: number

  constructor(
    private readonly pod: PodContext,
    private readonly parent: Parent,
    options: InstanceOptions,
  ) {
    this.kernel = pod.kernel
    this.peer = pod.peer
    this.hostname = pod.hostname
    this.env = options.env
    this.ports = options.ports
    this.command = options.command
    this.runsToEnd = options.runsToEnd
    this.compute = options.compute
    this.output = options.log
    this.instance = options.instance
  }

  get(to: Destination, timeoutMs: number, caller: Caller): Call {
    return this.pod.network.get({ from: this.peer, to, timeoutMs }, caller)
  }

  list(path: string): unknown[] {
    return this.pod.list(path)
  }

  log(line: string): void {
    this.output.write(this.kernel.now, line)
  }

  exit(code: number): void {
    this.parent.exited(code, this.instance)
  }
}
