// Builds the prober's image from what npm and this machine offer, without a container engine:
//   npm run prober:image [-- --out FILE --tag NAME]      (Linux with glibc; elsewhere: libs/prober/Dockerfile)
// Hand FILE to a node with `ctr -n k8s.io images import`, `docker load`, `kind load image-archive`, `minikube image load`.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { dockerArchive } from './docker-archive.mjs'
import { root } from './packages.mjs'

const prober = join(root, 'libs/prober')
const { PROBER_IMAGE } = await import(join(prober, 'dist/protocol.js'))
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' }

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist/prober-image.tar') },
    tag: { type: 'string', default: `docker.io/${PROBER_IMAGE}` },
  },
})

/** The pinned Node, which npm brought, with the shared libraries that it asks for. */
function nodeFiles() {
  const program = realpathSync(join(root, 'node_modules/.bin/node'))
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? []
  return [
    { path: '/usr/local/bin/node', body: readFileSync(program), program: true },
    ...libraries.map((path) => ({ path, body: readFileSync(realpathSync(path)), program: true })),
  ]
}

/** Every file below `from` that Node needs at run time, placed below `to`. */
function javascript(from, to) {
  return readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(\.[cm]?js|\.wasm|^package\.json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: join(to, relative(from, file)), body: readFileSync(file) }))
}

/** npm lays packages side by side or within each other: Node's own look-up knows where. */
const packageOf = (name, from) =>
  createRequire(join(from, 'package.json'))
    .resolve.paths(name)
    .map((path) => join(path, name))
    .find((path) => existsSync(join(path, 'package.json')))

/** The packages that the prober needs at run time, and those that they need. */
function needed(from, names = new Map()) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    if (names.has(name)) continue
    names.set(name, packageOf(name, from))
    needed(names.get(name), names)
  }
  return names
}

const files = [
  ...nodeFiles(),
  ...javascript(join(prober, 'dist'), '/app/dist'),
  { path: '/app/package.json', body: readFileSync(join(prober, 'package.json')) },
  ...[...needed(prober)].flatMap(([name, folder]) => javascript(folder, `/app/node_modules/${name}`)),
]

// Name look-ups use the thread pool: a name that does not resolve must not keep other probes waiting.
const config = {
  Entrypoint: ['/usr/local/bin/node', '/app/dist/main.js'],
  Env: ['UV_THREADPOOL_SIZE=32', 'NODE_ENV=production'],
  User: '65532:65532',
  WorkingDir: '/app',
}
const architecture = ARCHITECTURES[process.arch]
if (process.platform !== 'linux' || !architecture) {
  throw new Error(
    `this script needs Linux on x64 or arm64; on ${process.platform} ${process.arch} use libs/prober/Dockerfile`,
  )
}
const out = resolve(values.out)
mkdirSync(dirname(out), { recursive: true })
writeFileSync(out, dockerArchive({ tag: values.tag, files, config, architecture }))
console.error(`${values.tag} is in ${out}`)
