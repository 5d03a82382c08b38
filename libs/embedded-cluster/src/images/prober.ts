import { createProber, PROBER_ENV, proberConfigSchema, type Prober, type ProberConfig } from '@ordeal/prober'
import { FailingProgram, type Image, type Program, type ProgramHost } from './program.js'
import { VirtualHost } from './virtual-host.js'

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

function readConfig(text: string | undefined): ProberConfig | string {
  if (!text) return `${PROBER_ENV} is not set`
  try {
    return proberConfigSchema.parse(JSON.parse(text))
  } catch (error) {
    return `${PROBER_ENV}: ${error instanceof Error ? error.message : String(error)}`
  }
}
