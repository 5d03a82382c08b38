import { createNodeHost } from './host-node.js'
import { createProber } from './prober.js'
import { readConfig } from './prober.config.js'

const { config, api } = readConfig()
const prober = createProber(
  createNodeHost((line) => process.stdout.write(`${line}\n`), api),
  config,
)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => prober.stop())
prober.start()
