import { type CliConfig } from '../config.js'
import { GatewayClient, type GatewayAddress } from './gateway-client.js'
import { readState } from './state-file.js'

/** A gateway, and whose it is. */
export interface Gateway {
  readonly client: GatewayClient
  readonly address: GatewayAddress
  /** Whether cycles go on without us: those of a running `ordeal up` do, those of a gateway of our own end with it. */
  readonly outlivesUs: boolean
}

/**
 * Gives `use` a gateway: that of a running `ordeal up`, or one started for it and stopped after it. Answers null when
 * `interrupt` came before the gateway was there.
 */
export async function withGateway<T>(
  config: CliConfig,
  interrupt: AbortSignal,
  use: (gateway: Gateway) => Promise<T>,
): Promise<T | null> {
  const running = await runningGateway(config)
  if (running) return interrupt.aborted ? null : use({ ...running, outlivesUs: true })
  // Loaded only now: with services at hand this command needs none of their code.
  const { startStack } = await import('./start-stack.js')
  const stack = await startStack({ logLevel: config.logLevel, dataDir: null, environment: config.environment })
  try {
    const { address } = stack
    return interrupt.aborted ? null : await use({ client: new GatewayClient(address), address, outlivesUs: false })
  } finally {
    await stack.stop()
  }
}

async function runningGateway(config: CliConfig): Promise<Pick<Gateway, 'client' | 'address'> | null> {
  const address = await readState(config.stateDir)
  if (!address) return null
  const client = new GatewayClient(address)
  return (await client.ready()) ? { client, address } : null
}
