// Writes down what the native programs make of libs/renderer/fixtures, for a spec to compare with:
//   node scripts/record-renderings.mjs PATH-OF-HELM PATH-OF-KUSTOMIZE
// Both are built with Go in the versions that libs/renderer/go/go.mod and build-renderer.mjs name.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './packages.mjs'

const [helm, kustomize] = process.argv.slice(2)
const fixtures = join(root, 'libs/renderer/fixtures')
const FLAGS = { set: '--set', string: '--set-string', file: '--set-file' }

const run = (program, args) => String(execFileSync(program, args, { cwd: fixtures, maxBuffer: 64 << 20 }))

function chartOutput({ chart, name, namespace, values, set }) {
  const settings = set.flatMap(({ how, text }) => [FLAGS[how], text])
  const files = values.flatMap((file) => ['-f', file])
  return run(helm, ['template', name, chart, '--namespace', namespace, '--no-hooks', ...files, ...settings])
}

const cases = JSON.parse(readFileSync(join(fixtures, 'cases.json'), 'utf8'))
mkdirSync(join(fixtures, 'expected'), { recursive: true })
for (const [name, each] of Object.entries(cases)) {
  const output = each.folder ? run(kustomize, ['build', each.folder]) : chartOutput(each)
  writeFileSync(join(fixtures, 'expected', `${name}.yaml`), output)
}
