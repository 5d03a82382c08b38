// Prints what a simulated minute costs: 30 workloads of two replicas with probes, and three entry points that each get
// 10 requests/s through chains of calls. `node bench/embedded.mjs [workloads] [rounds]`
import { createEngine } from '../libs/embedded-cluster/dist/engine.js'
import { withDefaults } from '../libs/embedded-cluster/dist/schema/defaults.js'

const workloads = Number(process.argv[2] ?? 30)
const rounds = Number(process.argv[3] ?? 7)
const ENTRIES = 3
const WARM_UP_S = 40

const apply = (store, resource, object) => store.create(resource, withDefaults(object))

function deployment(index) {
  const app = `app-${index}`
  const next = index + ENTRIES
  const env = next < workloads ? [{ name: 'CALLS', value: `http://app-${next}/x` }] : []
  const probe = (periodSeconds) => ({ httpGet: { path: '/healthz', port: 8080 }, periodSeconds })
  const container = {
    name: 'app',
    image: 'ordeal/testapp:1',
    ports: [{ containerPort: 8080 }],
    env,
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

function prober() {
  const probes = Array.from({ length: ENTRIES }, (_, index) => ({
    id: `entry-${index}`,
    kind: 'http',
    url: `http://app-${index}.default/`,
    ratePerSecond: 10,
    timeoutMs: 2000,
  }))
  const env = [{ name: 'ORDEAL_PROBER', value: JSON.stringify({ probes }) }]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'prober', namespace: 'kube-system' },
    spec: { containers: [{ name: 'prober', image: 'ordeal/prober:1', env }] },
  }
}

function measure() {
  const engine = createEngine({
    seed: 1,
    startMs: Date.UTC(2026, 0, 1),
    nodes: Math.ceil(workloads / 10),
  })
  const { kernel, store } = engine
  for (let i = 0; i < workloads; i++) {
    apply(store, 'deployments.apps', deployment(i))
    apply(store, 'services', service(i))
  }
  apply(store, 'pods', prober())
  kernel.runUntil(kernel.now + WARM_UP_S * 1000)
  const before = kernel.eventsRun
  const started = performance.now()
  kernel.runUntil(kernel.now + 60_000)
  const ms = performance.now() - started
  const samples = engine.logs({ namespace: 'kube-system', pod: 'prober', container: null, previous: false })
  const failed = samples.filter(
    ({ text }) => text.includes('"ok":false') && Number(JSON.parse(text).at) > kernel.now - 60_000,
  )
  return { ms, events: kernel.eventsRun - before, failed: failed.length }
}

const runs = Array.from({ length: rounds }, measure)
const { ms, events, failed } = runs.reduce((a, b) => (b.ms < a.ms ? b : a))
const cold = runs[0].ms
console.log(
  `${workloads} workloads × 2, one simulated minute: ${ms.toFixed(1)} ms (cold ${cold.toFixed(0)} ms), ${events} events, ` +
    `${((1000 * ms) / events).toFixed(2)} µs/event, ${(60_000 / ms).toFixed(0)} × real time, ${failed} failed samples`,
)
