import { type Application } from './cycle.js'
import { deployment, deploymentApp } from './applications.js'

type Json = Record<string, unknown>

/** Keeps an object whose removal was asked for until somebody takes it off. */
export const HOLD = 'ordeal.dev/hold'

const quiet = {
  name: 'quiet',
  image: 'registry.k8s.io/pause:3.10',
  resources: { requests: { cpu: '1m', memory: '4Mi' }, limits: { cpu: '100m', memory: '32Mi' } },
}
const template = (name: string): Json => ({
  metadata: { labels: { app: name } },
  spec: { terminationGracePeriodSeconds: 0, containers: [quiet] },
})
const workload = (name: string): Json => ({ selector: { matchLabels: { app: name } }, template: template(name) })
const once = (name: string): Json => ({ suspend: true, template: { ...template(name), spec: job } })
const job = { restartPolicy: 'Never', containers: [quiet] }

/** One of every kind that an application may bring, each with this name and ready by itself. */
const KINDS: readonly (readonly [string, string, (name: string) => Json])[] = [
  ['v1', 'ResourceQuota', () => ({ spec: { hard: { pods: '60' } } })],
  ['v1', 'LimitRange', () => ({ spec: { limits: [{ type: 'Container', default: { memory: '64Mi' } }] } })],
  ['v1', 'ServiceAccount', () => ({})],
  ['v1', 'ConfigMap', () => ({ data: { colour: 'blue' } })],
  ['v1', 'Secret', () => ({ stringData: { word: 'open' } })],
  [
    'v1',
    'PersistentVolumeClaim',
    () => ({
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Mi' } } },
    }),
  ],
  ['v1', 'Service', (name) => ({ spec: { selector: { app: name }, ports: [{ port: 80 }] } })],
  ['v1', 'Pod', () => ({ spec: { terminationGracePeriodSeconds: 0, containers: [quiet] } })],
  ['apps/v1', 'Deployment', (name) => ({ spec: { replicas: 1, ...workload(name) } })],
  ['apps/v1', 'ReplicaSet', (name) => ({ spec: { replicas: 1, ...workload(name) } })],
  ['apps/v1', 'StatefulSet', (name) => ({ spec: { replicas: 1, serviceName: name, ...workload(name) } })],
  ['apps/v1', 'DaemonSet', (name) => ({ spec: workload(name) })],
  ['batch/v1', 'Job', (name) => ({ spec: once(name) })],
  [
    'batch/v1',
    'CronJob',
    (name) => ({ spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: once(name) } } }),
  ],
  [
    'policy/v1',
    'PodDisruptionBudget',
    (name) => ({ spec: { maxUnavailable: 1, selector: { matchLabels: { app: name } } } }),
  ],
  [
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    (name) => ({ spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } } }),
  ],
  [
    'networking.k8s.io/v1',
    'Ingress',
    (name) => ({ spec: { defaultBackend: { service: { name, port: { number: 80 } } } } }),
  ],
  ['networking.k8s.io/v1', 'NetworkPolicy', (name) => ({ spec: { podSelector: { matchLabels: { app: name } } } })],
  [
    'rbac.authorization.k8s.io/v1',
    'Role',
    () => ({ rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] }),
  ],
  [
    'rbac.authorization.k8s.io/v1',
    'RoleBinding',
    (name) => ({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name }],
    }),
  ],
]

const everyKind = (name: string, metadata: Json = {}): Json[] =>
  KINDS.map(([apiVersion, kind, rest]) => ({
    apiVersion,
    kind,
    ...rest(name),
    metadata: { name, ...metadata, ...(kind === 'Pod' ? { labels: { app: `${name}-bare` } } : {}) },
  }))

/** An application with two of every kind, and two DaemonSets that nobody can break. */
export function everyKindApp(): Application {
  const app = deploymentApp('front', 2)
  const counted = (name: string) => ({
    id: `${name}-there`,
    statement: `${name} is there`,
    target: `DaemonSet/${name}`,
    weight: 1 as const,
    probe: { kind: 'k8s' as const, selector: { app: name }, minReady: 1, periodMs: 1000 },
    threshold: app.steadyStates[0]?.threshold ?? never(),
  })
  return {
    ...app,
    objects: [...everyKind('stays'), ...everyKind('goes', { finalizers: [HOLD] }), ...app.objects],
    steadyStates: [...app.steadyStates, counted('stays'), counted('goes')],
  }
}

/** The same with a label more on what stays, and without what goes. */
export const laterRevision = (): Json[] => [
  ...everyKind('stays').map((o) => ({ ...o, metadata: { ...(o.metadata as Json), annotations: { colour: 'green' } } })),
  ...deploymentApp('front', 2).objects,
]

/** One that does not come to work. */
export const crashingRevision = (): Json[] => {
  const crash = { name: 'crash', image: 'busybox:1.36', command: ['sh', '-c', 'echo no database; exit 3'] }
  const spec = { ...(deployment('crash', 1).spec as Json) }
  return [
    ...laterRevision(),
    {
      ...deployment('crash', 1),
      spec: { ...spec, template: { metadata: { labels: { app: 'crash' } }, spec: { containers: [crash] } } },
    },
  ]
}

function never(): never {
  throw new Error('an application without a steady state')
}
