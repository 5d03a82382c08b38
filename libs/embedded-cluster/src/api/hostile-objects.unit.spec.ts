import fc from 'fast-check'
import { createEngine } from '../engine.js'
import type { ResourceKey } from '../schema/resources.js'
import { ApiError } from '../store/api-error.js'
import { bootstrap } from './bootstrap.js'
import { collectionPath, parseResourcePath } from './resource-path.js'
import { createObject } from './write-object.js'

const container = {
  name: 'c',
  image: 'ordeal/testapp:1',
  ports: [{ name: 'http', containerPort: 8080 }],
  env: [{ name: 'A', value: '1' }],
  resources: { requests: { cpu: '100m', memory: '32Mi' }, limits: { memory: '64Mi' } },
  readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 2 },
  livenessProbe: { tcpSocket: { port: 8080 }, initialDelaySeconds: 1 },
  lifecycle: { preStop: { exec: { command: ['sleep', '2'] } } },
}
const podSpec = {
  containers: [container],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 5,
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'x' } },
    },
  ],
  volumes: [{ name: 'v', configMap: { name: 'settings' } }],
}
const metadata = { name: 'x', labels: { app: 'x' }, annotations: { note: 'y' }, finalizers: ['example.com/f'] }
const selector = { matchLabels: { app: 'x' } }
const template = { metadata: { labels: { app: 'x' } }, spec: podSpec }
const target = { namespaces: ['default'], labelSelectors: { app: 'x' } }

/** One object of each kind that uses what the cluster models. */
const OBJECTS: [ResourceKey, object][] = [
  ['pods', { metadata, spec: podSpec }],
  [
    'deployments.apps',
    {
      metadata,
      spec: { replicas: 2, selector, template, strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } } },
    },
  ],
  ['replicasets.apps', { metadata, spec: { replicas: 2, selector, template } }],
  ['services', { metadata, spec: { selector: { app: 'x' }, ports: [{ name: 'a', port: 80, targetPort: 'http' }] } }],
  ['configmaps', { metadata, data: { a: 'b' } }],
  ['poddisruptionbudgets.policy', { metadata, spec: { minAvailable: '50%', selector } }],
  [
    'podchaos.chaos-mesh.org',
    { metadata, spec: { action: 'pod-kill', mode: 'fixed', value: '1', selector: target, duration: '5s' } },
  ],
  [
    'networkchaos.chaos-mesh.org',
    {
      metadata,
      spec: {
        action: 'delay',
        mode: 'all',
        selector: target,
        delay: { latency: '10ms', jitter: '1ms' },
        duration: '5s',
      },
    },
  ],
]

type Path = (string | number)[]

/** Every place of a value, its leaves and its inner nodes. */
function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Object.entries(value).flatMap(([key, part]) => places(part, [...path, key]))
  return path.length === 0 ? inner : [path, ...inner]
}

/** Where an earlier change took the place away, a later one changes nothing. */
function replaced(value: unknown, [head, ...rest]: Path, hostile: unknown): unknown {
  if (head === undefined) return hostile
  if (Array.isArray(value))
    return value.map((item: unknown, i) => (i === Number(head) ? replaced(item, rest, hostile) : item))
  if (typeof value !== 'object' || value === null) return value
  const object = value as Record<string, unknown>
  return { ...object, [head]: replaced(object[head], rest, hostile) }
}

const hostileValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '-1',
    '0',
    '1e308',
    'NaN',
    '99999999999999999999',
    '150%',
    '0%',
    '2147483647',
    '__proto__',
    'constructor',
    'x'.repeat(70),
    'x'.repeat(300_000),
    0,
    -1,
    1.5,
    2147483647,
    Number.MAX_SAFE_INTEGER,
    true,
    [],
    {},
    [[]],
    [null],
    { a: { b: { c: {} } } },
    '0.0000000001ns',
    '999999h',
    '0s',
    '1Ei',
    '1n',
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

const hostileObject = fc.constantFrom(...OBJECTS).chain(([key, object]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...places(object)), hostileValue), { minLength: 1, maxLength: 3 })
    .map((changes): [ResourceKey, unknown] => {
      const changed = changes.reduce<unknown>((value, [path, hostile]) => replaced(value, path, hostile), object)
      return [key, changed]
    }),
)

it('takes or refuses any object, and lives on with what it has taken', () => {
  fc.assert(
    fc.property(fc.array(hostileObject, { minLength: 1, maxLength: 6 }), (objects) => {
      const engine = createEngine({ seed: 1, startMs: 0 })
      bootstrap(engine.store)
      for (const [key, object] of objects) {
        const path = parseResourcePath(collectionPath(key, 'default'))!
        try {
          createObject(engine, path, object, { dryRun: false })
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
        }
      }
      expect(engine.kernel.runUntil(120_000, { maxEvents: 500_000 })).toBe('reached')
      engine.close()
    }),
    { numRuns: 300 },
  )
}, 60_000)
