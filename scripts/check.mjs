// All checks that need no test run: `npm run check`. Runs each of them even when one fails, and names those that did.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { root } from './packages.mjs'

/** Types first: the typed lint rules read the declarations that it writes. */
const STAGES = [
  ['typecheck'],
  ['lint', 'check:format'],
  ['check:dependencies', 'check:dead'],
  ['check:generated', 'check:renderer', 'check:sizes', 'check:deploy'],
]

async function run(script) {
  const started = Date.now()
  const child = spawn('npm', ['run', '--silent', script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const [code] = await once(child, 'close')
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${script} (${seconds} s)`)
  const text = Buffer.concat(output).toString().trim()
  if (code !== 0 || script === 'check:sizes') console.log(text.replaceAll(/^/gm, '  '))
  return code === 0 ? [] : [script]
}

const failed = []
for (const stage of STAGES) failed.push(...(await Promise.all(stage.map(run))).flat())
if (failed.length > 0) {
  console.error(`\nfailed: ${failed.join(', ')}`)
  process.exitCode = 1
}
