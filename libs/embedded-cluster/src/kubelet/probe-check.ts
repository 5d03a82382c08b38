import { type Container, type Probe } from '../controllers/objects.js'
import { imageNamed } from '../images/registry.js'
import { outcomeOf, parseScript } from '../images/shell.js'
import { type CallError, type Caller } from '../traffic/call.js'
import { type Network } from '../traffic/network.js'
import { type Peer } from '../traffic/peer.js'
import { type ProbeResult, type ResultTaker } from './probe-worker.js'

/** Where a probe goes: from the node to the pod, past every Service. */
export interface ProbePath {
  readonly network: Network
  readonly node: Peer
  readonly pod: Peer
  readonly container: Container
}

/**
 * Takes one reading of a probe. An `exec` command that only sleeps, echoes or exits does so; any other is taken to
 * succeed (see the assumptions).
 */
export function checkProbe(path: ProbePath, probe: Probe, taker: ResultTaker): void {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000
  const port = portOf(path.container, probe)
  if (port === null) return taker.checked(execResult(probe.exec?.command ?? [], timeoutMs))
  const target = `${path.pod.ip}:${port}`
  const route = { ip: path.pod.ip, port }
  if (!probe.httpGet) {
    path.network.dial(path.node, route, { path: null, timeoutMs }, new TcpCheck(taker, target))
    return
  }
  const { scheme = 'HTTP', path: asked = '/' } = probe.httpGet
  const url = `${scheme.toLowerCase()}://${target}${asked}`
  const speaksPlain = scheme === 'HTTPS' && imageNamed(path.container.image).builtIn
  const check = new HttpCheck(taker, { url, target, speaksPlain })
  path.network.dial(path.node, route, { path: pathOnly(asked), timeoutMs }, check)
}

function execResult(command: readonly string[], timeoutMs: number): ProbeResult {
  const { exitCode, tookMs } = outcomeOf(parseScript(command) ?? [])
  if (tookMs > timeoutMs)
    return { ok: false, output: `command timed out: "${command.join(' ')}" timed out after ${timeoutMs / 1000}s` }
  return { ok: exitCode === 0, output: '' }
}

class TcpCheck implements Caller {
  constructor(
    private readonly taker: ResultTaker,
    private readonly target: string,
  ) {}

  answered(status: number | null, error: CallError | null): void {
    this.taker.checked({ ok: status !== null, output: error ? dialError(this.target, error) : '' })
  }
}

interface HttpTarget {
  readonly url: string
  readonly target: string
  /** The probe wants TLS, the program has none. */
  readonly speaksPlain: boolean
}

class HttpCheck implements Caller {
  constructor(
    private readonly taker: ResultTaker,
    private readonly asked: HttpTarget,
  ) {}

  answered(status: number | null, error: CallError | null): void {
    const { url, target, speaksPlain } = this.asked
    const untrue = speaksPlain && status !== null
    this.taker.checked(untrue ? noTls(url) : httpResult({ url, target, status, error }))
  }
}

/** Built-in programs speak plain HTTP; others are taken to speak what their probes do. */
const noTls = (url: string): ProbeResult => ({
  ok: false,
  output: `Get "${url}": http: server gave HTTP response to HTTPS client`,
})

interface HttpReading {
  readonly url: string
  readonly target: string
  readonly status: number | null
  readonly error: CallError | null
}

function httpResult({ url, target, status, error }: HttpReading): ProbeResult {
  if (status !== null) {
    const ok = status >= 200 && status < 400
    return { ok, output: ok ? '' : `HTTP probe failed with statuscode: ${status}` }
  }
  const why =
    error === 'ETIMEDOUT'
      ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
      : dialError(target, error)
  return { ok: false, output: `Get "${url}": ${why}` }
}

function dialError(target: string, error: CallError | null): string {
  if (error === 'ETIMEDOUT') return `dial tcp ${target}: i/o timeout`
  if (error === 'ECONNRESET') return `read tcp ${target}: read: connection reset by peer`
  return `dial tcp ${target}: connect: connection refused`
}

/** The number of the probed port; null for a probe without one. A name that no port has gives a port nobody opens. */
function portOf(container: Container, probe: Probe): number | null {
  const port = probe.httpGet?.port ?? probe.tcpSocket?.port
  if (port === undefined) return null
  if (typeof port === 'number') return port
  if (/^\d+$/.test(port)) return Number(port)
  return container.ports?.find(({ name }) => name === port)?.containerPort ?? 0
}

/** Numbers of the ports that a container declares or its probes name. */
export function portsOf(container: Container): number[] {
  const declared = (container.ports ?? []).filter(({ protocol }) => (protocol ?? 'TCP') === 'TCP')
  const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe]
  const probed = probes.flatMap((probe) => (probe ? [portOf(container, probe)] : []))
  const ports = [...declared.map(({ containerPort }) => containerPort), ...probed]
  return [...new Set(ports)].filter((port): port is number => port !== null && port > 0)
}

const pathOnly = (path: string): string => path.replace(/\?.*$/, '')
