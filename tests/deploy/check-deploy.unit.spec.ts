import { parseServiceConfig } from '@ordeal/shared'
import { checkObjects, containersOf, type RenderedObject } from '../../scripts/deploy-kubernetes.mjs'
import { checkContainer, type Container, type Program } from '../../scripts/deploy-rules.mjs'

const program: Program = {
  variables: new Set([
    'DATABASE_URL',
    'PLUMBING_DATABASE_URL',
    'ORDEAL_VAULT_KEY',
    'NATS_URL',
    'HOST',
    'PORT',
    'DRAIN_TIMEOUT',
    'LOG_LEVEL',
  ]),
  paths: new Set(['/livez', '/readyz']),
  parse: parseServiceConfig,
}

const good: Container = {
  place: 'Deployment/gateway, container service',
  program,
  image: 'ordeal:0.1.0',
  environment: {
    DATABASE_URL: { secret: true },
    PLUMBING_DATABASE_URL: { secret: true },
    ORDEAL_VAULT_KEY: { secret: true },
    NATS_URL: { value: 'nats://nats:4222' },
    HOST: { value: '0.0.0.0' },
    PORT: { value: '8080' },
    DRAIN_TIMEOUT: { value: '20s' },
  },
  services: { postgres: [5432], nats: [4222] },
  probes: [
    { kind: 'livenessProbe', path: '/livez', port: 8080 },
    { kind: 'readinessProbe', path: '/readyz', port: 8080 },
  ],
  graceMs: 45_000,
  preStopMs: 5000,
  nonRoot: true,
  readOnly: true,
  dropsAll: true,
  noEscalation: true,
  limited: true,
}
const withVariables = (more: Container['environment']): Container => ({
  ...good,
  environment: { ...good.environment, ...more },
})
const without = (name: string): Container => {
  const { [name]: _, ...environment } = good.environment
  return { ...good, environment }
}
const probe = (kind: string, path: string, port = 8080): Container => ({ ...good, probes: [{ kind, path, port }] })

describe('checkContainer', () => {
  it('finds nothing wrong with a container that is true to the code', () => {
    expect(checkContainer(good)).toEqual([])
  })
  it('catches a variable whose name is wrong, with the container that has it', () => {
    expect(checkContainer(withVariables({ DRAIN_TIME: { value: '20s' } }))).toEqual([
      'Deployment/gateway, container service: DRAIN_TIME is a variable that the program does not know',
    ])
  })
  it.each<[string, Container, string]>([
    ['a required variable that is missing', without('NATS_URL'), 'NATS_URL is not set'],
    ['a value that the code refuses', withVariables({ LOG_LEVEL: { value: 'loud' } }), 'LOG_LEVEL Invalid option'],
    [
      'a secret in plain text',
      withVariables({ ORDEAL_VAULT_KEY: { value: `${'A'.repeat(43)}=` } }),
      'must not stand in plain text',
    ],
    ['an address of nobody', withVariables({ NATS_URL: { value: 'nats://nats:4223' } }), 'where nothing listens'],
    ['a loopback address', withVariables({ HOST: { value: '127.0.0.1' } }), 'HOST must be 0.0.0.0'],
    ['a health path that is not there', probe('livenessProbe', '/healthz'), 'asks for /healthz'],
    ['liveness by readiness', probe('livenessProbe', '/readyz'), 'instead of /livez'],
    ['a probe of another port', probe('readinessProbe', '/readyz', 8081), 'PORT is 8080'],
    ['a grace period within the drain', { ...good, graceMs: 25_000 }, 'draining may take 30000 ms'],
    ['a drain budget left to the default', without('DRAIN_TIMEOUT'), 'DRAIN_TIMEOUT must be given'],
    ['root', { ...good, nonRoot: false }, 'it may run as root'],
    ['an image of any version', { ...good, image: 'ordeal:latest' }, 'not pinned'],
  ])('catches %s', (_, container, message) => {
    expect(checkContainer(container)).toEqual([expect.stringContaining(message)])
  })
})

const account = (name: string): RenderedObject => ({ kind: 'ServiceAccount', metadata: { name } })
const workload = (name: string, env: object[], more: object = {}): RenderedObject => ({
  kind: 'Deployment',
  metadata: { name },
  spec: {
    template: {
      metadata: { labels: { app: name } },
      spec: {
        serviceAccountName: name,
        automountServiceAccountToken: false,
        containers: [{ name: 'service', image: 'ordeal:1', args: ['main.js'], env, envFrom: [settings] }],
        ...more,
      },
    },
  },
})
const settings = { configMapRef: { name: 'settings' } }
const configMap = (data: object): RenderedObject => ({ kind: 'ConfigMap', metadata: { name: 'settings' }, data })
const key = { name: 'ORDEAL_VAULT_KEY', valueFrom: { secretKeyRef: { name: 'ordeal-services', key: 'x' } } }

describe('a rendered set', () => {
  it('gives a container the variables of its ConfigMap and its own, the own ones last', () => {
    const objects = [workload('gateway', [key, { name: 'PORT', value: '1' }]), configMap({ PORT: '8080', HSOT: 'x' })]
    const [container] = containersOf(objects, { 'main.js': program })
    expect(container?.environment).toEqual({
      PORT: { value: '1' },
      HSOT: { value: 'x' },
      ORDEAL_VAULT_KEY: { secret: true },
    })
    expect(container && checkContainer(container)).toContainEqual(expect.stringContaining('HSOT is a variable'))
  })
  it('says which object is referred to but missing', () => {
    expect(() => containersOf([workload('gateway', [])], {})).toThrow('ConfigMap/settings is referred to')
  })
  it.each<[string, RenderedObject, string]>([
    ['a token for another service', workload('gateway', [], { automountServiceAccountToken: true }), 'gets a token'],
    ['a wildcard', { kind: 'ClusterRole', metadata: { name: 'all' }, rules: [{ verbs: ['*'] }] }, 'allows everything'],
    ['a Secret', { kind: 'Secret', metadata: { name: 'plain' } }, 'Secret/plain stands in a manifest'],
    [
      'a policy for nobody',
      { kind: 'NetworkPolicy', metadata: { name: 'p' }, spec: { podSelector: { matchLabels: { app: 'gatway' } } } },
      'NetworkPolicy/p selects no pod',
    ],
  ])('catches %s', (_, object, message) => {
    expect(checkObjects([object, account('gateway')])).toContainEqual(expect.stringContaining(message))
  })
  it('refuses the role of the cluster administrator', () => {
    const roleRef = { kind: 'ClusterRole', name: 'cluster-admin' }
    expect(checkObjects([{ kind: 'ClusterRoleBinding', metadata: { name: 'b' }, roleRef }])).toContainEqual(
      expect.stringContaining("ClusterRoleBinding/b is as wide as Kubernetes' own role"),
    )
  })
})
