// What must be true of a container, however it is deployed. Pure: `node scripts/check-deploy.mjs` reads the files.

/** Never in a manifest; what stands for them when a configuration is tried. */
export const SECRETS = {
  DATABASE_URL: 'postgres://ordeal_app:sample@postgres:5432/ordeal',
  PLUMBING_DATABASE_URL: 'postgres://ordeal_plumbing:sample@postgres:5432/ordeal',
  ADMIN_DATABASE_URL: 'postgres://ordeal:sample@postgres:5432/ordeal',
  ORDEAL_VAULT_KEY: Buffer.alloc(32).toString('base64'),
  ORDEAL_API_KEY: 'sample-'.repeat(6),
  POSTGRES_PASSWORD: 'sample',
}

/** A variable is `{ value }` as it stands in the file, or `{ secret: true }`. */
const valueOf = (name, { value, secret }) => (secret ? SECRETS[name] : value)

function* checkEnvironment({ environment, program }) {
  for (const name of Object.keys(environment)) {
    if (!program.variables.has(name)) yield `${name} is a variable that the program does not know`
  }
  for (const [name, { secret }] of Object.entries(environment)) {
    if (secret && !(name in SECRETS)) yield `${name} is taken from a secret, but scripts/deploy-rules.mjs has no sample`
    if (!secret && name in SECRETS) yield `${name} is a secret and must not stand in plain text`
  }
  const values = Object.entries(environment).map(([name, given]) => [name, valueOf(name, given)])
  try {
    program.parse(Object.fromEntries(values))
  } catch (error) {
    yield error.message
  }
}

/** An address inside the deployment must be one of its own services. */
function* checkAddresses({ environment, services }) {
  for (const [name, { value, secret }] of Object.entries(environment)) {
    const text = secret ? SECRETS[name] : value
    if (!/_URL$/.test(name) || !URL.canParse(text ?? '')) continue
    const { hostname, port } = new URL(text)
    if (!services[hostname]?.includes(Number(port))) yield `${name} leads to ${hostname}:${port}, where nothing listens`
  }
}

/** What a kubelet's probe must ask for: a database that is away is no reason to restart anything. */
const RIGHT_PATHS = { livenessProbe: '/livez', startupProbe: '/livez', readinessProbe: '/readyz' }

function probeProblem({ kind, path, port }, { program, environment }) {
  const right = RIGHT_PATHS[kind] ?? path
  if (!program.paths.has(path)) return `${kind} asks for ${path}; it has ${[...program.paths].join(', ')}`
  if (path !== right) return `${kind} asks for ${path} instead of ${right}`
  const own = environment.PORT?.value
  return String(port) === own ? [] : `${kind} asks port ${port}; PORT is ${own}`
}

function* checkHealth({ environment, program, probes }) {
  if (program.paths.size === 0) return
  if (environment.HOST?.value !== '0.0.0.0') yield 'HOST must be 0.0.0.0, or nobody reaches it from outside'
  if (probes.length === 0) yield 'it has no health check'
  yield* probes.flatMap((probe) => probeProblem(probe, { program, environment }))
}

/** Longer than draining and what comes before and after it, or the drain is cut short. */
const CLOSING_MS = 5000

function* checkGrace({ environment, program, graceMs, preStopMs }) {
  if (!program.variables.has('DRAIN_TIMEOUT')) return
  const drain = environment.DRAIN_TIMEOUT?.value
  if (!/^\d+s$/.test(drain ?? '')) {
    yield 'DRAIN_TIMEOUT must be given in whole seconds, beside the grace period that it must fit into'
    return
  }
  const needed = preStopMs + parseInt(drain) * 1000 + CLOSING_MS
  if (graceMs < needed) yield `its grace period is ${graceMs} ms; draining may take ${needed} ms`
}

function* checkHardening({ nonRoot, readOnly, dropsAll, noEscalation, limited, image }) {
  if (!nonRoot) yield 'it may run as root'
  if (!readOnly) yield 'its root file system can be written'
  if (!dropsAll) yield 'it does not drop ALL capabilities'
  if (!noEscalation) yield 'it may gain privileges'
  if (!limited) yield 'it lacks limits of cpu and memory (and, on Kubernetes, requests)'
  if (!image || /:latest$/.test(image)) yield `its image is not pinned: ${image}`
}

const PROGRAM_RULES = [checkEnvironment, checkAddresses, checkHealth, checkGrace]

/** Everything that is wrong with a container, as sentences that name it. */
export function checkContainer(container) {
  const rules = container.program ? [...PROGRAM_RULES, checkHardening] : [checkHardening]
  return rules.flatMap((rule) => [...rule(container)]).map((problem) => `${container.place}: ${problem}`)
}
