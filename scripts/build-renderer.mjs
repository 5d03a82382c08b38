// Builds libs/renderer/src/renderer.wasm.br from libs/renderer/go. It needs Go, which nothing else does: the module is
// kept beside its source, together with renderer.json, which says what it was made of.
//   node scripts/build-renderer.mjs            builds
//   node scripts/build-renderer.mjs --check    fails when the module was not built from the present source; needs no Go
//   node scripts/build-renderer.mjs --verify   builds again and compares, where the same Go is there
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { root } from './packages.mjs'
import { patchModule } from './wasm-patch.mjs'

const SOURCE = join(root, 'libs/renderer/go')
const MODULE = join(root, 'libs/renderer/src/renderer.wasm.br')
const RECORD = join(root, 'libs/renderer/src/renderer.json')
const NOTICES = join(root, 'libs/renderer/THIRD_PARTY_NOTICES.txt')
/** 256 MiB: two workers fit into a service's container. Two thousand objects take 160 MiB. */
const MAX_PAGES = 4096
/** What `kustomize version` says for the api's version in go.mod; it is seen in the label of `buildMetadata`. */
const KUSTOMIZE = 'v5.8.2'
const FLAGS = `-s -w -X sigs.k8s.io/kustomize/api/provenance.version=${KUSTOMIZE}`
const ENVIRONMENT = { ...process.env, GOOS: 'wasip1', GOARCH: 'wasm', GOFLAGS: '-mod=readonly', GOWORK: 'off' }

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
const go = (...args) => execFileSync('go', args, { cwd: SOURCE, env: ENVIRONMENT, maxBuffer: 64 << 20 })

/** A hash of everything that the module is made of, but for the Go release. */
function hashOfSource() {
  const files = readdirSync(SOURCE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.go$|^go\.(mod|sum)$/.test(entry.name) && !entry.name.endsWith('_test.go'))
    .map((entry) => join(entry.parentPath, entry.name))
    .concat(join(root, 'scripts/wasm-patch.mjs'))
    .sort()
  const lines = files.map((file) => `${sha256(readFileSync(file))} ${relative(root, file)}`)
  return sha256([...lines, FLAGS, MAX_PAGES].join('\n'))
}

function compile() {
  const folder = mkdtempSync(join(tmpdir(), 'ordeal-renderer-'))
  try {
    const out = join(folder, 'renderer.wasm')
    go('build', '-buildmode=c-shared', '-trimpath', '-buildvcs=false', `-ldflags=${FLAGS}`, '-o', out, '.')
    return patchModule(readFileSync(out), MAX_PAGES)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const goVersion = () => String(go('env', 'GOVERSION')).trim()

/** The licence texts and notices of every module that is linked in, and of Go's own library. */
function notices() {
  const format = '{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}'
  const modules = [
    ...new Set(
      String(go('list', '-deps', '-f', format, '.'))
        .split('\n')
        .filter(Boolean),
    ),
  ].sort()
  const ours = modules.filter((line) => !line.endsWith('client-go') && !line.endsWith('apiextensions'))
  const goRoot = String(go('env', 'GOROOT')).trim()
  const all = [['Go standard library', goVersion(), goRoot], ...ours.map((line) => line.split('\t'))]
  return all.map(([path, version, dir]) => noticeOf(path, version, dir)).join('\n')
}

function noticeOf(path, version, dir) {
  const names = readdirSync(dir).filter((name) => /^(LICEN[CS]E|COPYING|NOTICE)(\.\w+|-\w+)?$/i.test(name))
  if (names.length === 0) throw new Error(`${path} has no licence text`)
  const texts = names.sort().map((name) => readFileSync(join(dir, name), 'utf8').replaceAll('\r\n', '\n').trim())
  return `${'='.repeat(80)}\n${path} ${version}\n${'='.repeat(80)}\n\n${texts.join('\n\n')}\n`
}

function build() {
  const module = compile()
  const packed = brotliCompressSync(module, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  })
  writeFileSync(MODULE, packed)
  writeFileSync(NOTICES, notices())
  const record = { source: hashOfSource(), go: goVersion(), module: sha256(module), packed: sha256(packed) }
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`)
  const mb = (bytes) => `${(bytes.length / 1e6).toFixed(1)} MB`
  console.log(`built ${relative(root, MODULE)}: ${mb(module)}, packed ${mb(packed)}`)
}

function fail(message) {
  console.error(message)
  process.exitCode = 1
}

function check(record) {
  const packed = readFileSync(MODULE)
  if (sha256(packed) !== record.packed || sha256(brotliDecompressSync(packed)) !== record.module) {
    fail(`${relative(root, MODULE)} is not the one that renderer.json describes`)
  } else if (hashOfSource() !== record.source) {
    fail('libs/renderer/go has changed since its module was built: node scripts/build-renderer.mjs')
  }
}

function verify(record) {
  check(record)
  if (goVersion() !== record.go) return fail(`the module was built with ${record.go}, and here is ${goVersion()}`)
  if (sha256(compile()) !== record.module) return fail('building again gives another module')
  return console.log('building again gives the same module')
}

const record = () => JSON.parse(readFileSync(RECORD, 'utf8'))
if (process.argv.includes('--check')) check(record())
else if (process.argv.includes('--verify')) verify(record())
else build()
