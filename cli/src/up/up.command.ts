import { once } from 'node:events'
import { join } from 'node:path'
import { EXIT, type ExitCode } from '../exit-code.js'
import { UsageError } from '../errors.js'
import { type Host } from '../host.js'
import { listenForInterrupts } from '../interrupts.js'
import { GatewayClient } from '../stack/gateway-client.js'
import { type Stack } from '../stack/start-stack.js'
import { readState, removeState, writeState } from '../stack/state-file.js'

export interface UpArguments {
  /** Each service as a process of its own. */
  readonly processes?: boolean
  /** How many of each, as processes. */
  readonly replicas: number
}

/** `ordeal up`: all services, until a signal. Their data stay for the next time. */
export async function up(args: UpArguments, { terminal, config }: Host): Promise<ExitCode> {
  const running = await readState(config.stateDir)
  if (running && (await new GatewayClient(running).ready())) {
    throw new UsageError(`the services are up already, at ${running.url}`, 'Stop them first, or just use `ordeal run`')
  }
  const interrupts = listenForInterrupts(terminal.err)
  terminal.err.write('Starting Postgres, NATS, the embedded cluster and five services…\n')
  const tellStop = (): void => terminal.err.write('\nStopping, as soon as what starts has started…\n')
  interrupts.signal.addEventListener('abort', tellStop, { once: true })
  const stack = await start(args, { terminal, config })
  interrupts.signal.removeEventListener('abort', tellStop)
  try {
    await writeState(config.stateDir, stack.address)
    if (interrupts.signal.aborted) return EXIT.good
    terminal.err.write(`Up: ${stack.address.url}. \`ordeal run\` uses it now; Ctrl-C stops it.\n`)
    await once(interrupts.signal, 'abort')
    terminal.err.write('\nStopping…\n')
    return EXIT.good
  } finally {
    await removeState(config.stateDir)
    await stack.stop()
    interrupts.release()
  }
}

async function start({ processes, replicas }: UpArguments, { terminal, config }: Host): Promise<Stack> {
  const { logLevel, environment } = config
  const dataDir = join(config.stateDir, 'data')
  if (!processes) {
    if (replicas > 1)
      throw new UsageError('--replicas needs --processes', 'In one process there is one of each service')
    const { startStack } = await import('../stack/start-stack.js')
    return startStack({ logLevel, dataDir, environment })
  }
  const { startProcesses } = await import('../stack/start-processes.js')
  const write = (text: string): void => terminal.err.write(text)
  return startProcesses({ logLevel, dataDir, replicas, environment, write })
}
