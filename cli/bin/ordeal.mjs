#!/usr/bin/env node
// Runs the command line under the workspace's own Node 24, whichever Node started it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const WANTED = 24
const program = join(dirname(fileURLToPath(import.meta.url)), '../dist/main.js')

function pinnedNode() {
  try {
    const home = dirname(createRequire(import.meta.url).resolve('node/package.json'))
    const binary = join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(binary) ? binary : null
  } catch {
    return null
  }
}

/** Starts the same command under `node`. The IPC channel tells the child when this process dies, however it dies. */
function reexecute(node) {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', program, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // From a terminal the child has them already; it takes those that come twice at once for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`ordeal: cannot start ${node}: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
}

if (!existsSync(program)) {
  process.stderr.write('ordeal: not built yet. Run `npm run build` in the workspace first.\n')
  process.exit(1)
}
if (Number(process.versions.node.split('.')[0]) >= WANTED) {
  await import(program)
} else {
  const node = pinnedNode()
  if (node) reexecute(node)
  else {
    process.stderr.write(
      `ordeal: needs Node ${WANTED}, this is ${process.version}. Run \`npm ci\` in the workspace, which brings it.\n`,
    )
    process.exit(1)
  }
}
