import fc from 'fast-check'
import { ApiError } from '../store/api-error.js'
import { definitionOf, RESOURCES, type ResourceKey } from './resources.js'
import { admitObject } from './validate.js'

/** What the object is answered with: nothing when it is taken, else the causes. */
function causes(key: ResourceKey, body: unknown): string[] {
  try {
    admitObject(definitionOf(key), body)
    return []
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error
    return (error.details.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
  }
}

const metadata = { name: 'b', namespace: 'x' }
const pod = (container: object, spec: object = {}) => ({
  metadata,
  spec: { containers: [{ name: 'a', image: 'x', ...container }], ...spec },
})
const deployment = (spec: object, template: object = {}) => ({
  metadata,
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'x' }], ...template } },
    ...spec,
  },
})
const service = (spec: object) => ({ metadata, spec })
const fault = (spec: object) => ({ metadata, spec: { mode: 'one', selector: { labelSelectors: { q: 'q' } }, ...spec } })
const web = (port: number | string) => ({ httpGet: { port } })

// The words are those of a real 1.34 server for the same objects.
describe('admitObject refuses in the words of a real API server', () => {
  const inContainer: [string, object, string[]][] = [
    ['no image', { image: '' }, ['image: Required value']],
    ['port 0', { ports: [{ containerPort: 0 }] }, ['ports[0].containerPort: Required value']],
    [
      'port 70000',
      { ports: [{ containerPort: 70000 }] },
      ['ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive'],
    ],
    [
      'a protocol in lower case',
      { ports: [{ containerPort: 80, protocol: 'tcp' }] },
      ['ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"'],
    ],
    [
      'more requested than allowed',
      { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
      ['resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      'a negative request',
      { resources: { requests: { cpu: '-1' } } },
      ['resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      'a probe that does nothing',
      { livenessProbe: {} },
      ['livenessProbe: Required value: must specify a handler type'],
    ],
    [
      'a probe that does two things',
      { livenessProbe: { ...web(80), exec: { command: ['a'] } } },
      ['livenessProbe.httpGet: Forbidden: may not specify more than 1 handler type'],
    ],
    [
      'a liveness probe that must succeed twice',
      { livenessProbe: { ...web(80), successThreshold: 2 } },
      ['livenessProbe.successThreshold: Invalid value: 2: must be 1'],
    ],
    [
      'a negative period',
      { livenessProbe: { ...web(80), periodSeconds: -2 } },
      ['livenessProbe.periodSeconds: Invalid value: -2: must be greater than or equal to 0'],
    ],
    [
      'a mount of no volume',
      { volumeMounts: [{ name: 'n', mountPath: '/x' }] },
      ['volumeMounts[0].name: Not found: "n"'],
    ],
    [
      'a variable with two sources',
      { env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      ['env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
    ],
    [
      'a field that pods do not have',
      { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.foo' } } }] },
      [
        'env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.foo": ' +
          'error converting fieldPath: field label not supported: spec.foo',
      ],
    ],
  ]
  it.each(inContainer)('a container with %s', (_, container, expected) => {
    expect(causes('pods', pod(container))).toEqual(expected.map((cause) => `spec.containers[0].${cause}`))
  })

  const whole: [string, ResourceKey, object, string[]][] = [
    ['a pod without a spec', 'pods', { metadata }, ['spec.containers: Required value']],
    ['a pod without containers', 'pods', { metadata, spec: { containers: [] } }, ['spec.containers: Required value']],
    [
      'an unknown restart policy',
      'pods',
      pod({}, { restartPolicy: 'Sometimes' }),
      ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      'a deployment whose selector misses its pods',
      'deployments.apps',
      deployment({ selector: { matchLabels: { a: 'c' } } }),
      ['spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`'],
    ],
    [
      'a deployment that selects everything',
      'deployments.apps',
      deployment({ selector: {} }),
      ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    ],
    [
      'fewer than no replicas',
      'deployments.apps',
      deployment({ replicas: -1 }),
      ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'a rollout that can never begin',
      'deployments.apps',
      deployment({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
    ],
    [
      'more unavailable than there are',
      'deployments.apps',
      deployment({ strategy: { rollingUpdate: { maxUnavailable: '150%' } } }),
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "150%": must not be greater than 100%'],
    ],
    [
      'recreating in a rolling way',
      'deployments.apps',
      deployment({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
      ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ],
    [
      'a deployment of jobs',
      'deployments.apps',
      deployment({}, { restartPolicy: 'Never' }),
      ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    ],
    ['a service without ports', 'services', service({ selector: { a: 'b' } }), ['spec.ports: Required value']],
    [
      'two ports without names',
      'services',
      service({ ports: [{ port: 1 }, { port: 2 }] }),
      ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
    ],
    [
      'a fault of an unknown action',
      'podchaos.chaos-mesh.org',
      fault({ action: 'x' }),
      ['spec.action: Unsupported value: "x": supported values: "pod-kill", "pod-failure", "container-kill"'],
    ],
  ]
  it.each(whole)('%s', (_, key, body, expected) => {
    expect(causes(key, body)).toEqual(expected)
  })
})

describe('admitObject takes', () => {
  it.each<[string, ResourceKey, object]>([
    ['a plain pod', 'pods', pod({})],
    ['a service without a selector', 'services', service({ ports: [{ port: 1 }] })],
    ['a headless service without ports', 'services', service({ clusterIP: 'None' })],
    ['a fault without a duration', 'podchaos.chaos-mesh.org', fault({ action: 'pod-failure' })],
    ['a partition of what comes in', 'networkchaos.chaos-mesh.org', fault({ action: 'partition', direction: 'from' })],
  ])('%s', (_, key, body) => {
    expect(causes(key, body)).toEqual([])
  })

  it('fields that are null as if they were not there', () => {
    const taken = admitObject(definitionOf('pods'), { ...pod({ command: null }), status: null })
    expect(taken.spec).not.toHaveProperty('containers[0].command')
    expect(taken).not.toHaveProperty('metadata.labels')
  })

  it('no field that is unknown, not even when it is null', () => {
    expect(() => admitObject(definitionOf('pods'), pod({ immage: null }))).toThrow('unknown field')
  })

  it('a fault without namespaces as one of its own namespace', () => {
    const taken = admitObject(definitionOf('podchaos.chaos-mesh.org'), fault({ action: 'pod-kill' }))
    expect(taken).toMatchObject({ spec: { selector: { namespaces: ['x'] } } })
  })
})

it('answers any JSON with an object or with an error of the API', () => {
  const keys = RESOURCES.filter(({ readOnly }) => !readOnly).map(({ key }) => key)
  const names = [
    'metadata',
    'spec',
    'name',
    'labels',
    'containers',
    'selector',
    'template',
    'ports',
    'data',
    '__proto__',
  ]
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 6 },
      fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.boolean(), fc.double()),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('node'), { maxKeys: 5 }),
    ),
  })).node
  fc.assert(
    fc.property(fc.constantFrom(...keys), value, (key, body) => {
      try {
        expect(admitObject(definitionOf(key), body)).toHaveProperty('metadata')
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError)
      }
    }),
    { numRuns: 3_000 },
  )
})
