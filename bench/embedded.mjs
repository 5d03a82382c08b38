// Prints what the embedded cluster costs, each figure with its budget and how much of that it takes:
// a simulated minute of 30 workloads and of 300, a fork, and 1,000 what-if runs of an application of five services.
// `node bench/embedded.mjs [rounds]`; exits with 1 when a budget is exceeded.
import { createEngine, deploy } from '../libs/embedded-cluster/dist/index.js'
import { withDefaults } from '../libs/embedded-cluster/dist/schema/defaults.js'

const rounds = Number(process.argv[2] ?? 7)
const ENTRIES = 3
const WARM_UP_S = 40
const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 0, 1)
let exceeded = false

function report(what, value, [budget, unit], more = '') {
  exceeded ||= value > budget
  const share = ((100 * value) / budget).toFixed(0)
  console.log(`${what}: ${value.toFixed(2)} ${unit}, ${share} % of ${budget}${more === '' ? '' : `; ${more}`}`)
}

function deployment(index, calls) {
  const app = `app-${index}`
  const probe = (periodSeconds) => ({ httpGet: { path: '/healthz', port: 8080 }, periodSeconds })
  const container = {
    name: 'app',
    image: 'ordeal/testapp:1',
    ports: [{ containerPort: 8080 }],
    env: calls === null ? [] : [{ name: 'CALLS', value: `http://app-${calls}/x` }],
    readinessProbe: probe(2),
    livenessProbe: probe(10),
    resources: { requests: { cpu: '50m', memory: '32Mi' } },
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app, namespace: 'default' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { containers: [container] } },
    },
  }
}

function service(index) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `app-${index}`, namespace: 'default' },
    spec: {
      clusterIP: `10.96.${1 + (index >> 8)}.${index & 255}`,
      selector: { app: `app-${index}` },
      ports: [{ port: 80, targetPort: 8080 }],
    },
  }
}

/** Chains of calls, one from each entry point: the application number i calls number i + entries. */
function chains(workloads, entries) {
  return Array.from({ length: workloads }, (_, i) => [
    deployment(i, i + entries < workloads ? i + entries : null),
    service(i),
  ]).flat()
}

const probesOf = (entries) =>
  Array.from({ length: entries }, (_, index) => ({
    id: `entry-${index}`,
    kind: 'http',
    url: `http://app-${index}.default/`,
    ratePerSecond: 10,
    timeoutMs: 2000,
  }))

function prober(entries) {
  const env = [{ name: 'ORDEAL_PROBER', value: JSON.stringify({ probes: probesOf(entries) }) }]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'prober', namespace: 'kube-system' },
    spec: { containers: [{ name: 'prober', image: 'ordeal/prober:1', env }] },
  }
}

/** A cluster after its warm-up; entry points grow with the workloads, so that chains keep their length. */
function warm(workloads) {
  const entries = (ENTRIES * workloads) / 30
  const engine = createEngine({ seed: 1, startMs: START_MS, nodes: Math.ceil(workloads / 10) })
  const resources = { Deployment: 'deployments.apps', Service: 'services', Pod: 'pods' }
  for (const object of [...chains(workloads, entries), prober(entries)]) {
    engine.store.create(resources[object.kind], withDefaults(object))
  }
  engine.kernel.runUntil(engine.kernel.now + WARM_UP_S * 1000)
  return engine
}

/** In CPU time, which a busy machine blurs less than wall time. */
function timed(work) {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000, result }
}

/** The fastest of several rounds: what others do on the machine only ever adds. */
function minute(workloads) {
  const runs = Array.from({ length: rounds }, () => {
    const engine = warm(workloads)
    const { kernel } = engine
    const before = kernel.eventsRun
    const { ms } = timed(() => kernel.runUntil(kernel.now + MINUTE_MS))
    const samples = engine.logs({ namespace: 'kube-system', pod: 'prober', container: null, previous: false })
    const failed = samples.filter(
      ({ text }) => text.includes('"ok":false') && Number(JSON.parse(text).at) > kernel.now - MINUTE_MS,
    )
    return { ms, events: kernel.eventsRun - before, failed: failed.length, cold: 0 }
  })
  const best = runs.reduce((a, b) => (b.ms < a.ms ? b : a))
  return { ...best, cold: runs[0].ms, usPerEvent: (1000 * best.ms) / best.events }
}

const SLICE_MS = 5000
const SLICES = 15

/**
 * How many times an event of a larger cluster costs what one of a smaller costs: the two run in turn, slice by slice, so
 * that whatever else the machine does touches both alike, and the median of the slices counts. (Of the work itself, counted
 * step by step, `cost-per-event.unit.spec.ts` tells; what is left is what caches and the garbage collector make of size.)
 */
function against(larger, smaller) {
  const engines = [warm(larger), warm(smaller)]
  const costOf = ({ kernel }) => {
    const before = kernel.eventsRun
    const { ms } = timed(() => kernel.runUntil(kernel.now + SLICE_MS))
    return ms / (kernel.eventsRun - before)
  }
  const ratios = Array.from({ length: SLICES }, () => {
    const [large, small] = engines.map(costOf)
    return large / small
  }).sort((a, b) => a - b)
  return { median: ratios[SLICES >> 1], from: ratios[0], to: ratios.at(-1) }
}

function fork() {
  const engine = warm(5)
  const batch = 50
  const batches = Array.from({ length: 4 * rounds }, () => {
    const { ms } = timed(() => {
      for (let i = 0; i < batch; i++) engine.fork()
    })
    return ms / batch
  })
  return Math.min(...batches)
}

/** Another pod of another service is killed in each; every run has windows of 10, 30 and 20 s and its own seed. */
function whatIfs(count) {
  const services = 5
  const probes = probesOf(1)
  const deployed = deploy(chains(services, 1), { seed: 1, probes })
  const plan = (index) => ({
    timing: { preMs: 10_000, faultMs: 30_000, postMs: 20_000 },
    probes,
    actions: [{ at: 10_000, do: 'create', object: podKill(index % services) }],
  })
  const started = performance.now()
  const { ms, result } = timed(() => {
    let failed = 0
    for (let i = 0; i < count; i++) {
      const trace = deployed.whatIf(plan(i), { seed: i })
      if (!trace.settled || trace.faults[0]?.targets[0]?.injectedCount !== 1) throw new Error(`run ${i} had no fault`)
      failed += trace.samples.filter(({ ok }) => !ok).length
    }
    return failed
  })
  return { seconds: (performance.now() - started) / 1000, cpuSeconds: ms / 1000, failed: result }
}

function podKill(index) {
  const selector = { namespaces: ['default'], labelSelectors: { app: `app-${index}` } }
  return {
    apiVersion: 'chaos-mesh.org/v1alpha1',
    kind: 'PodChaos',
    metadata: { name: 'kill', namespace: 'default' },
    spec: { action: 'pod-kill', mode: 'one', gracePeriod: 0, selector },
  }
}

const small = minute(30)
const speed = (MINUTE_MS / small.ms).toFixed(0)
report('30 workloads × 2, 3 × 10 requests/s, one simulated minute', small.ms, [40, 'ms'], `${speed} × real time`)
report('  an event of it', small.usPerEvent, [1, 'µs'], `${small.events} events, cold ${small.cold.toFixed(0)} ms`)
const large = minute(300)
const ratio = against(300, 30)
report('300 workloads × 2, 30 × 10 requests/s, an event', large.usPerEvent, [1, 'µs'], `${large.events} events`)
const spread = `${ratio.from.toFixed(2)} to ${ratio.to.toFixed(2)}`
report(`  against one of 30 workloads, median of ${SLICES}`, ratio.median, [2, 'times'], spread)
report('a fork of 5 services × 2', fork(), [1, 'ms'])
const many = whatIfs(1000)
report(
  '1,000 what-if runs of 5 services × 2, CPU',
  many.cpuSeconds,
  [10, 's'],
  `${many.seconds.toFixed(1)} s of wall time`,
)
const failures = small.failed + large.failed
if (failures > 0) console.log(`${failures} failed samples without a fault`)
process.exitCode = exceeded || failures > 0 ? 1 : 0
