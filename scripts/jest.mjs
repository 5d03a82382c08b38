// Runs jest as this repository needs it: `node scripts/jest.mjs [jest's options]`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './packages.mjs'

const NODE_MAJOR = 24

/** Runs jest with `options`; resolves with its exit code (1 when a signal ended it). */
export async function jest(options) {
  if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR) {
    throw new Error(
      `the tests need Node ${NODE_MAJOR} and found ${process.version}. Run them through npm (npm test), after npm ci; ` +
        'when that finds an old Node too, the package "node" was not set up: npm rebuild node',
    )
  }
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  const program = join(root, 'node_modules/jest/bin/jest.js')
  const config = join(root, 'config/jest.config.mjs')
  const child = spawn(process.execPath, [...flags, program, '--config', config, ...options], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = await jest(process.argv.slice(2))
