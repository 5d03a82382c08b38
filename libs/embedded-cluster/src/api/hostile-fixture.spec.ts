import fc from 'fast-check'
import type { ResourceKey } from '../schema/resources.js'

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

const task = { spec: { containers: [container], restartPolicy: 'Never' } }

/** One object of each kind that uses what the cluster models. */
export const OBJECTS: [ResourceKey, object][] = [
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
  [
    'statefulsets.apps',
    {
      metadata,
      spec: {
        replicas: 2,
        serviceName: 'x',
        selector,
        template,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
        volumeClaimTemplates: [
          {
            metadata: { name: 'd' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
  ],
  [
    'daemonsets.apps',
    { metadata, spec: { selector, template, updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } } },
  ],
  ['jobs.batch', { metadata, spec: { completions: 2, parallelism: 2, backoffLimit: 1, template: task } }],
  [
    'cronjobs.batch',
    {
      metadata,
      spec: { schedule: '*/1 * * * *', concurrencyPolicy: 'Forbid', jobTemplate: { spec: { template: task } } },
    },
  ],
  [
    'horizontalpodautoscalers.autoscaling',
    {
      metadata,
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' },
        minReplicas: 1,
        maxReplicas: 4,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    },
  ],
  [
    'networkpolicies.networking.k8s.io',
    {
      metadata,
      spec: { podSelector: selector, ingress: [{ from: [{ podSelector: selector }], ports: [{ port: 8080 }] }] },
    },
  ],
  [
    'persistentvolumeclaims',
    { metadata, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  ],
  ['limitranges', { metadata, spec: { limits: [{ type: 'Container', default: { cpu: '1' }, max: { cpu: '2' } }] } }],
  ['resourcequotas', { metadata, spec: { hard: { pods: '3', 'requests.cpu': '1' } } }],
  ['secrets', { metadata, stringData: { a: 'b' } }],
  ['serviceaccounts', { metadata }],
  [
    'stresschaos.chaos-mesh.org',
    {
      metadata,
      spec: {
        mode: 'all',
        selector: target,
        stressors: { cpu: { workers: 1, load: 50 }, memory: { workers: 1, size: '64MB' } },
        duration: '5s',
      },
    },
  ],
  [
    'httpchaos.chaos-mesh.org',
    { metadata, spec: { mode: 'all', selector: target, target: 'Request', port: 8080, delay: '10ms', duration: '5s' } },
  ],
  ['dnschaos.chaos-mesh.org', { metadata, spec: { action: 'error', mode: 'all', selector: target, duration: '5s' } }],
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

/** An object of one of the kinds, with up to three places replaced. */
export const hostileObject = fc.constantFrom(...OBJECTS).chain(([key, object]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...places(object)), hostileValue), { minLength: 1, maxLength: 3 })
    .map((changes): [ResourceKey, Record<string, unknown>] => {
      const changed = changes.reduce<unknown>((value, [path, hostile]) => replaced(value, path, hostile), object)
      return [key, changed as Record<string, unknown>]
    }),
)
