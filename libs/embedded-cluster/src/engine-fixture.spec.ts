import { PROBER_ENV, PROBER_IMAGE, type ProberConfig, type SampleLine } from '@ordeal/prober'
import { type Pod } from './controllers/objects.js'
import { isReady } from './controllers/objects.js'
import { admitted } from './admission/admit.js'
import { createEngine, type Engine } from './engine.js'
import { type Kernel } from './kernel/kernel.js'
import { withDefaults } from './schema/defaults.js'
import { definitionOfKind } from './schema/resources.js'
import { type K8sObject, type StoredObject } from './store/object.js'
import { type ObjectStore } from './store/store.js'

/** The start of virtual time in tests. */
export const START_MS = Date.UTC(2026, 0, 1)

type Fields = Record<string, unknown>

/** A cluster with shorthands for what tests do with it. Times are seconds since its start. */
export class TestCluster {
  readonly engine: Engine
  private addresses = 1

  constructor(seed = 1) {
    this.engine = createEngine({ seed, startMs: START_MS })
    for (const name of ['app', 'probe']) this.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }

  get store(): ObjectStore {
    return this.engine.store
  }

  get kernel(): Kernel {
    return this.engine.kernel
  }

  /** Seconds since the start. */
  get now(): number {
    return (this.kernel.now - START_MS) / 1000
  }

  /** Creates an object with defaults, as the API server would; a Service gets a cluster IP. */
  apply<T extends StoredObject>(object: K8sObject): T {
    const definition = definitionOfKind(object.apiVersion, object.kind)
    if (!definition) throw new Error(`no kind ${object.kind}`)
    const namespace = definition.namespaced ? { namespace: 'app' } : {}
    const placed = { ...object, metadata: { ...namespace, ...object.metadata } }
    if (object.kind !== 'Service') {
      return this.store.create<T>(definition.key, admitted(this.store, definition.key, withDefaults(placed)))
    }
    const spec = { clusterIP: `10.96.0.${++this.addresses}`, ...(object.spec as Fields) }
    return this.store.create<T>(definition.key, withDefaults({ ...placed, spec }))
  }

  runUntil(seconds: number): void {
    this.kernel.runUntil(START_MS + seconds * 1000)
  }

  run(seconds: number): void {
    this.kernel.runUntil(this.kernel.now + seconds * 1000)
  }

  /** Runs until the condition holds; throws when it does not within `seconds`. Returns the time it took, in seconds. */
  runUntilTrue(condition: () => boolean, seconds = 120): number {
    const from = this.now
    const end = this.kernel.runUntil(this.kernel.now + seconds * 1000, { stop: condition })
    if (end !== 'stopped') throw new Error(`not within ${seconds} s`)
    return this.now - from
  }

  pods(app?: string): Pod[] {
    return this.store.list<Pod>('pods', 'app').filter(({ metadata }) => !app || metadata.labels?.app === app)
  }

  pod(name: string): Pod {
    const pod = this.store.get<Pod>('pods', 'app', name)
    if (!pod) throw new Error(`no pod ${name}`)
    return pod
  }

  readyPods(app: string): Pod[] {
    return this.pods(app).filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined)
  }

  /** `reason: message` of the events about an object, oldest first. */
  events(name: string): string[] {
    return this.store
      .list('events')
      .filter((event) => (event.involvedObject as { name: string }).name === name)
      .map(({ reason, message }) => `${String(reason)}: ${String(message)}`)
  }

  startProber(probes: ProberConfig['probes'], name = 'prober'): void {
    const env = [{ name: PROBER_ENV, value: JSON.stringify({ probes }) }]
    const spec = { containers: [{ name: 'prober', image: PROBER_IMAGE, env }] }
    this.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'probe' }, spec })
  }

  samples(probe: string): SampleLine[] {
    const lines = this.engine.logs({ namespace: 'probe', pod: 'prober', container: null, previous: false })
    return lines.map(({ text }) => JSON.parse(text) as SampleLine).filter((line) => line.probe === probe)
  }
}

export interface AppOptions {
  replicas?: number
  env?: Record<string, string>
  image?: string
  container?: Fields
  spec?: Fields
  podSpec?: Fields
}

export const readiness = {
  readinessProbe: { httpGet: { path: '/healthz', port: 8080 }, initialDelaySeconds: 2, periodSeconds: 2 },
}
export const liveness = {
  livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, initialDelaySeconds: 10, periodSeconds: 10 },
}

export function template(app: string, options: AppOptions = {}): Fields {
  const { env = {}, image = 'ordeal/testapp:1', container = readiness, podSpec = {} } = options
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }))
  const one = { name: 'web', image, ports: [{ containerPort: 8080 }], env: variables, ...container }
  return { metadata: { labels: { app } }, spec: { containers: [one], ...podSpec } }
}

/** A Deployment of the test app. */
export function deployment(app: string, options: AppOptions = {}): K8sObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app },
    spec: {
      replicas: options.replicas ?? 1,
      selector: { matchLabels: { app } },
      template: template(app, options),
      ...options.spec,
    },
  }
}

/** A Service on port 80 in front of port 8080. */
export function service(app: string, spec: Fields = {}): K8sObject {
  const ports = [{ port: 80, targetPort: 8080 }]
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: app }, spec: { selector: { app }, ports, ...spec } }
}

export function pod(name: string, options: AppOptions = {}): K8sObject {
  const { metadata, spec } = template(name, options) as { metadata: Fields; spec: Fields }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec }
}

export function podChaos(name: string, spec: Fields): K8sObject {
  const selector = { namespaces: ['app'], labelSelectors: { app: 'web' } }
  return {
    apiVersion: 'chaos-mesh.org/v1alpha1',
    kind: 'PodChaos',
    metadata: { name },
    spec: { mode: 'one', selector, ...spec },
  }
}

export function networkChaos(name: string, spec: Fields): K8sObject {
  return { ...podChaos(name, { mode: 'all', ...spec }), kind: 'NetworkChaos' }
}

export function dnsChaos(name: string, spec: Fields): K8sObject {
  return { ...podChaos(name, { mode: 'all', ...spec }), kind: 'DNSChaos' }
}

export function httpChaos(name: string, spec: Fields): K8sObject {
  return { ...podChaos(name, { mode: 'all', ...spec }), kind: 'HTTPChaos' }
}

export function httpProbe(id: string, url: string, ratePerSecond = 10): ProberConfig['probes'][number] {
  return { id, kind: 'http', url, ratePerSecond, timeoutMs: 2000 }
}
