// Runs jest as this repository needs it: `node scripts/jest.mjs [jest's options]`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './packages.mjs'

const NODE_MAJOR = 24

/** How long jest may take to end once all tests have: what holds it longer is something that a spec left running. */
const LEFTOVER_MS = 15_000

/**
 * Runs jest with `options`; resolves with its exit code (1 when a signal ended it). With `results`, the file that they
 * name as `--outputFile`, a jest that does not end after its tests is killed.
 */
export async function jest(options, results = null) {
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
  const guard = results && killWhenDone(child, results)
  const [code] = await once(child, 'exit')
  guard?.close()
  return code ?? 1
}

function killWhenDone(child, results) {
  let timer
  const watcher = watch(dirname(results), () => {
    if (timer || !existsSync(results)) return
    timer = setTimeout(() => {
      console.error(
        'jest did not end after the last test: a spec left something running (npm test -- --detectOpenHandles)',
      )
      child.kill('SIGKILL')
    }, LEFTOVER_MS)
  })
  return {
    close: () => {
      clearTimeout(timer)
      watcher.close()
    },
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = await jest(process.argv.slice(2))
