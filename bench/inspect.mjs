// Prints what it takes to inspect applications of 128 and of 2,000 objects from the command line, each figure with its
// budget and how much of that it takes. `node bench/inspect.mjs [rounds]`; exits with 1 when a budget is exceeded.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'

const rounds = Number(process.argv[2] ?? 3)
const CLI = new URL('../cli/bin/ordeal.mjs', import.meta.url).pathname
let exceeded = false

function report(what, value, [budget, unit]) {
  exceeded ||= value > budget
  console.log(`${what}: ${value.toFixed(2)} ${unit}, ${((100 * value) / budget).toFixed(0)} % of ${budget}`)
}

/** Four objects: a Deployment that calls the next two, with a Service, a budget and settings of its own. */
function workload(index, all) {
  const app = `app-${index}`
  const probe = (periodSeconds) => ({ httpGet: { path: '/healthz', port: 'http' }, periodSeconds })
  const labels = { app, 'app.kubernetes.io/part-of': 'bench' }
  const container = {
    name: 'app',
    image: 'registry.example/app:1.2.3',
    ports: [{ name: 'http', containerPort: 8080 }],
    env: [{ name: 'NEXT_URL', value: `http://app-${(index + 1) % all}:80` }],
    envFrom: [{ configMapRef: { name: app } }],
    readinessProbe: probe(2),
    livenessProbe: probe(10),
    resources: { requests: { cpu: '50m', memory: '32Mi' }, limits: { memory: '64Mi' } },
  }
  const metadata = { name: app, labels }
  const selector = { matchLabels: { app } }
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas: 2, selector, template: { metadata: { labels }, spec: { containers: [container] } } },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: { app }, ports: [{ port: 80, targetPort: 'http' }] },
    },
    { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: { minAvailable: 1, selector } },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: { UPSTREAMS: `app-${(index + 2) % all}.bench.svc, elsewhere` },
    },
  ]
}

/** Inspects an application of that many objects; the fastest of several rounds counts, for the machine may be busy. */
function inspect(objects) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-inspect-'))
  try {
    for (let i = 0; i < objects / 4; i++) {
      writeFileSync(
        join(folder, `app-${i}.yaml`),
        workload(i, objects / 4)
          .map((o) => stringify(o))
          .join('---\n'),
      )
    }
    const measured = Array.from({ length: rounds }, () => once(folder, objects))
    return {
      seconds: Math.min(...measured.map((m) => m.seconds)),
      megabytes: Math.max(...measured.map((m) => m.megabytes)),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The child tells its own peak of memory when it ends. */
const PEAK = "process.on('exit', () => require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS)))"

function once(folder, objects) {
  const started = performance.now()
  const peak = `data:text/javascript,import{createRequire}from'node:module';const require=createRequire('file:///');${PEAK}`
  const { status, stdout, stderr, output } = spawnSync(
    process.execPath,
    ['--import', peak, CLI, 'inspect', folder, '--json'],
    { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], encoding: 'utf8', maxBuffer: 1e9 },
  )
  const seconds = (performance.now() - started) / 1000
  if (status !== 0 || JSON.parse(stdout).objects.length !== objects) throw new Error(stderr)
  return { seconds, megabytes: Number(output[3]) / 1024 }
}

const [small, middle, large] = [128, 1000, 2000].map(inspect)
report('128 objects', small.seconds, [1, 's'])
report('2,000 objects', large.seconds, [10, 's'])
report('2,000 objects, peak of memory', large.megabytes, [500, 'MB'])
const [first, second] = [(middle.seconds - small.seconds) / 872, (large.seconds - middle.seconds) / 1000]
report('an object more, beyond 1,000 against below', second / first, [2, '×'])
process.exitCode = exceeded ? 1 : 0
