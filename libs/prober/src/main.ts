import { createNodeHost } from './host-node.js'
import { createProber } from './prober.js'
import { readConfig } from './prober.config.js'
import { loadSandbox } from './script/sandbox.js'

const { config, api } = readConfig()
if (config.probes.some(({ kind }) => kind === 'script')) await loadSandbox()
const prober = createProber(
  createNodeHost((line) => process.stdout.write(`${line}\n`), api),
  config,
)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => prober.stop())
prober.start()
