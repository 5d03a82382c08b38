import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  EventsV1Api,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  Watch,
  type V1Deployment,
  type V1Pod,
} from '@kubernetes/client-node'
import { createEmbeddedServer } from '../embedded-server.js'
import type { EmbeddedServer } from '../server.js'
import type { Status } from '../store/api-error.js'

const START = Date.UTC(2026, 0, 1)
let server: EmbeddedServer
let config: KubeConfig
let core: CoreV1Api
let apps: AppsV1Api
let custom: CustomObjectsApi
let next = 0

beforeAll(async () => {
  server = await createEmbeddedServer({ port: 0, host: '127.0.0.1' })
})
afterAll(() => server.close())

beforeEach(async () => {
  const id = `c${next++}`
  await fetch(`${server.url}/clusters`, { method: 'POST', body: JSON.stringify({ id, seed: 1, mode: 'virtual' }) })
  config = new KubeConfig()
  const url = `${server.url}/clusters/${id}`
  config.loadFromClusterAndUser({ name: id, server: url, skipTLSVerify: true }, { name: 'anyone' })
  core = config.makeApiClient(CoreV1Api)
  apps = config.makeApiClient(AppsV1Api)
  custom = config.makeApiClient(CustomObjectsApi)
})

const advance = async (ms: number): Promise<void> => {
  const clock = `${config.getCurrentCluster()?.server}/clock`
  const { now } = (await (await fetch(clock)).json()) as { now: number }
  const answer = await fetch(clock, { method: 'POST', body: JSON.stringify({ until: now + ms }) })
  expect(answer.status).toBe(200)
}
const namespace = 'default'
const deployment = (name = 'web'): V1Deployment => ({
  metadata: { name, labels: { app: name } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image: 'nginx:1.27', ports: [{ containerPort: 80 }] }] },
    },
  },
})
const pod = (name: string, spec: object = {}): V1Pod => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'nginx:1.27' }], ...spec },
})
/** What a refused call answers: its code and Status. */
const refusal = async (call: Promise<unknown>): Promise<{ code: number; body: Status }> => {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiException)
  const { code, body } = error as ApiException<string>
  return { code, body: JSON.parse(body) as Status }
}

describe('objects, by @kubernetes/client-node', () => {
  it('are created with the defaults of a real server', async () => {
    const made = await apps.createNamespacedDeployment({ namespace, body: deployment() })
    expect(made.metadata).toMatchObject({ namespace, generation: 1 })
    expect(made.spec).toMatchObject({
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: { spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', terminationGracePeriodSeconds: 30 } },
    })
    expect(made.spec?.template.spec?.containers[0]).toMatchObject({ imagePullPolicy: 'IfNotPresent', resources: {} })
  })

  it('are run by the controllers once time moves', async () => {
    await apps.createNamespacedDeployment({ namespace, body: deployment() })
    await core.createNamespacedService({
      namespace,
      body: { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } },
    })
    await advance(30_000)
    const { status } = await apps.readNamespacedDeployment({ namespace, name: 'web' })
    expect(status).toMatchObject({ replicas: 2, readyReplicas: 2, availableReplicas: 2, observedGeneration: 1 })
    const service = await core.readNamespacedService({ namespace, name: 'web' })
    expect(service.spec?.clusterIP).toMatch(/^10\.96\.\d+\.\d+$/)
    const ready = await core.listNamespacedPod({
      namespace,
      labelSelector: 'app=web',
      fieldSelector: 'status.phase=Running',
    })
    expect(ready.items).toHaveLength(2)
  })

  it('are patched by each patch type', async () => {
    await apps.createNamespacedDeployment({ namespace, body: deployment() })
    const patch = (type: string, body: unknown) =>
      apps.patchNamespacedDeployment({ namespace, name: 'web', body }, setHeaderOptions('Content-Type', type))
    const json = await patch(PatchStrategy.JsonPatch, [{ op: 'replace', path: '/spec/replicas', value: 3 }])
    expect(json.spec?.replicas).toBe(3)
    const merged = await patch(PatchStrategy.MergePatch, { metadata: { annotations: { note: 'x' } } })
    expect(merged.metadata?.annotations).toEqual({ note: 'x' })
    expect(merged.metadata?.generation).toBe(2)
    const containers = [{ name: 'web', image: 'nginx:1.28' }]
    const strategic = await patch(PatchStrategy.StrategicMergePatch, { spec: { template: { spec: { containers } } } })
    expect(strategic.spec?.template.spec?.containers[0]).toMatchObject({
      image: 'nginx:1.28',
      ports: [{ containerPort: 80 }],
    })
  })

  it('are scaled through their subresource', async () => {
    await apps.createNamespacedDeployment({ namespace, body: deployment() })
    const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'web' })
    expect(scale).toMatchObject({ spec: { replicas: 2 }, status: { selector: 'app=web' } })
    await apps.replaceNamespacedDeploymentScale({ namespace, name: 'web', body: { ...scale, spec: { replicas: 4 } } })
    expect((await apps.readNamespacedDeployment({ namespace, name: 'web' })).spec?.replicas).toBe(4)
  })

  it('are only rehearsed by a dry run', async () => {
    const made = await apps.createNamespacedDeployment({ namespace, body: deployment(), dryRun: 'All' })
    expect(made.metadata?.uid).toBeDefined()
    expect((await apps.listNamespacedDeployment({ namespace })).items).toEqual([])
    const bad = { ...deployment(), metadata: { name: 'Bad' } }
    expect((await refusal(apps.createNamespacedDeployment({ namespace, body: bad, dryRun: 'All' }))).code).toBe(422)
  })

  it('are deleted: pods after their grace period, and only what was meant', async () => {
    await core.createNamespacedPod({ namespace, body: pod('a') })
    await advance(10_000)
    const wrong = { preconditions: { uid: 'another' } }
    expect((await refusal(core.deleteNamespacedPod({ namespace, name: 'a', body: wrong }))).code).toBe(409)
    const marked = await core.deleteNamespacedPod({ namespace, name: 'a' })
    expect(marked.metadata?.deletionGracePeriodSeconds).toBe(30)
    await advance(31_000)
    expect((await refusal(core.readNamespacedPod({ namespace, name: 'a' }))).code).toBe(404)
  })

  it('are deleted by selector', async () => {
    for (const name of ['a', 'b']) {
      await core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { name } } } })
    }
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'name=a' })
    const left = await core.listNamespacedConfigMap({ namespace })
    expect(left.items.map(({ metadata }) => metadata?.name)).toEqual(['b'])
  })

  it('are paged through in the order of their names', async () => {
    for (const name of ['c', 'a', 'b'])
      await core.createNamespacedConfigMap({ namespace, body: { metadata: { name } } })
    const first = await core.listNamespacedConfigMap({ namespace, limit: 2 })
    expect(first.metadata?.remainingItemCount).toBe(1)
    const rest = await core.listNamespacedConfigMap({ namespace, limit: 2, _continue: first.metadata?._continue ?? '' })
    expect([...first.items, ...rest.items].map(({ metadata }) => metadata?.name)).toEqual(['a', 'b', 'c'])
    expect(rest.metadata?._continue).toBeUndefined()
  })

  it('keep a secret as data, whichever way it was written', async () => {
    const body = { metadata: { name: 's' }, stringData: { key: 'value' }, data: { other: 'eA==' } }
    const made = await core.createNamespacedSecret({ namespace, body })
    expect(made).toMatchObject({ type: 'Opaque', data: { key: 'dmFsdWU=', other: 'eA==' } })
    expect(made.stringData).toBeUndefined()
  })
})

it('shows events by either of their APIs', async () => {
  await core.createNamespacedPod({ namespace, body: pod('a') })
  await advance(5_000)
  const older = (await core.listNamespacedEvent({ namespace, fieldSelector: 'involvedObject.name=a' })).items
  const newer = (await config.makeApiClient(EventsV1Api).listNamespacedEvent({ namespace })).items
  expect(older.length).toBeGreaterThan(2)
  expect(newer.map(({ note, regarding }) => [note, regarding?.name])).toEqual(
    older.map(({ message, involvedObject }) => [message, involvedObject.name]),
  )
})

describe('a namespace', () => {
  it('is emptied before it goes, and takes nothing new meanwhile', async () => {
    await core.createNamespace({ body: { metadata: { name: 'n' } } })
    await apps.createNamespacedDeployment({ namespace: 'n', body: deployment() })
    await advance(20_000)
    await core.deleteNamespace({ name: 'n' })
    const late = await refusal(core.createNamespacedPod({ namespace: 'n', body: pod('late') }))
    expect(late).toMatchObject({ code: 403, body: { details: { causes: [{ reason: 'NamespaceTerminating' }] } } })
    expect((await core.readNamespace({ name: 'n' })).status?.phase).toBe('Terminating')
    await advance(40_000)
    expect((await refusal(core.readNamespace({ name: 'n' }))).code).toBe(404)
    expect((await core.listPodForAllNamespaces()).items).toEqual([])
  })

  it('must be there', async () => {
    const answer = await refusal(core.createNamespacedPod({ namespace: 'none', body: pod('a') }))
    expect(answer).toMatchObject({ code: 404, body: { message: 'namespaces "none" not found' } })
  })
})

describe('a refusal', () => {
  const invalid = async (spec: object): Promise<string[]> => {
    const { code, body } = await refusal(core.createNamespacedPod({ namespace, body: pod('a', spec) }))
    expect(code).toBe(422)
    expect(body).toMatchObject({ kind: 'Status', reason: 'Invalid', details: { name: 'a', kind: 'Pod' } })
    return (body.details?.causes ?? []).map(({ field = '' }) => field)
  }

  it('names every field that is not modelled', async () => {
    expect(
      await invalid({ readinessGates: [{ conditionType: 'a' }], overhead: { cpu: '1' }, dnsPolicy: 'None' }),
    ).toEqual(['spec.dnsPolicy', 'spec.overhead', 'spec.readinessGates'])
  })

  it('names every value that Kubernetes would not take', async () => {
    const ports = [{ containerPort: 0 }, { containerPort: 80, name: 'UPPER' }]
    const resources = { requests: { cpu: '2' }, limits: { cpu: '1' } }
    const container = { name: 'c_', image: '', ports, resources, livenessProbe: {} }
    expect(await invalid({ containers: [container], restartPolicy: 'Sometimes' })).toEqual([
      'spec.containers[0].name',
      'spec.containers[0].image',
      'spec.containers[0].ports[0].containerPort',
      'spec.containers[0].ports[1].name',
      'spec.containers[0].resources.requests',
      'spec.containers[0].livenessProbe',
      'spec.restartPolicy',
    ])
  })

  it('says what no schema knows, and where', async () => {
    const path = `${config.getCurrentCluster()?.server}/api/v1/namespaces/default/pods`
    const body = { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 5, immage: 'x' }] }, status: 7 }
    const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      reason: 'BadRequest',
      message:
        'Pod in version "v1" cannot be handled as a Pod: strict decoding error: ' +
        'unknown field "spec.containers[0].immage", spec.containers[0].image: expected a string, got 5',
    })
  })

  it('meets a write of a stale version, a second object of a name and a fixed selector', async () => {
    const made = await apps.createNamespacedDeployment({ namespace, body: deployment() })
    await apps.replaceNamespacedDeployment({
      namespace,
      name: 'web',
      body: { ...made, spec: { ...made.spec!, replicas: 3 } },
    })
    const stale = await refusal(apps.replaceNamespacedDeployment({ namespace, name: 'web', body: made }))
    expect(stale).toMatchObject({ code: 409, body: { reason: 'Conflict' } })
    const second = await refusal(apps.createNamespacedDeployment({ namespace, body: deployment() }))
    expect(second).toMatchObject({ code: 409, body: { reason: 'AlreadyExists' } })
    const other = { ...deployment('other'), metadata: { name: 'web' } }
    const fixed = await refusal(apps.replaceNamespacedDeployment({ namespace, name: 'web', body: other }))
    expect(fixed.body.message).toContain('field is immutable')
  })
})

describe('faults', () => {
  const fault = (name: string, spec: object): object => ({
    apiVersion: 'chaos-mesh.org/v1alpha1',
    kind: 'PodChaos',
    metadata: { name },
    spec: {
      action: 'pod-kill',
      mode: 'one',
      selector: { namespaces: [namespace], labelSelectors: { app: 'web' } },
      ...spec,
    },
  })
  const create = (body: object) =>
    custom.createNamespacedCustomObject({
      group: 'chaos-mesh.org',
      version: 'v1alpha1',
      namespace,
      plural: 'podchaos',
      body,
    })

  it('are injected, and say so in their status', async () => {
    await apps.createNamespacedDeployment({ namespace, body: deployment() })
    await advance(20_000)
    await create(fault('kill', { duration: '10s' }))
    await advance(5_000)
    const stored = (await custom.getNamespacedCustomObject({
      group: 'chaos-mesh.org',
      version: 'v1alpha1',
      namespace,
      plural: 'podchaos',
      name: 'kill',
    })) as { status: { experiment: { containerRecords: { injectedCount: number }[] } } }
    expect(stored.status.experiment.containerRecords).toEqual([expect.objectContaining({ injectedCount: 1 })])
  })

  it.each([
    [{ action: 'pod-nuke' }, 'spec.action'],
    [{ duration: 'soon' }, 'spec.duration'],
    [{ mode: 'fixed' }, 'spec.value'],
    [{ remoteCluster: 'other' }, 'spec.remoteCluster'],
    [{ action: 'container-kill' }, 'spec.containerNames'],
  ])('are refused when wrong: %j', async (spec, field) => {
    const { code, body } = await refusal(create(fault('bad', spec)))
    expect(code).toBe(422)
    expect(body.details?.causes?.[0]?.field).toBe(field)
  })
})

describe('a watch', () => {
  /** Collects events of a watch until `count` have come. */
  const collect = async (query: Record<string, string | boolean>, count: number, act: () => Promise<unknown>) => {
    const events: string[] = []
    let ended: (error: unknown) => void = () => undefined
    const over = new Promise((resolve) => (ended = resolve))
    const full = Promise.withResolvers<void>()
    const stop = await new Watch(config).watch(
      '/api/v1/namespaces/default/configmaps',
      query,
      (type, object: { metadata: { name: string } }) => {
        events.push(`${type} ${object.metadata.name}`)
        if (events.length === count) full.resolve()
      },
      ended,
    )
    await act()
    await full.promise
    stop.abort()
    await over
    return events
  }
  const write = (name: string, labels: Record<string, string>) =>
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels } } })
  const relabel = (name: string, labels: Record<string, string>) =>
    core.replaceNamespacedConfigMap({ namespace, name, body: { metadata: { name, labels } } })

  it('starts with what is there, then tells of changes', async () => {
    await write('a', {})
    const events = await collect({}, 4, async () => {
      await write('b', {})
      await relabel('a', { x: '1' })
      await core.deleteNamespacedConfigMap({ namespace, name: 'b' })
    })
    expect(events).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b'])
  })

  it('goes on where a list ended', async () => {
    await write('a', {})
    const { metadata } = await core.listNamespacedConfigMap({ namespace })
    await write('b', {})
    const events = await collect({ resourceVersion: metadata?.resourceVersion ?? '' }, 2, () => write('c', {}))
    expect(events).toEqual(['ADDED b', 'ADDED c'])
  })

  it('shows objects come and go when they enter and leave the selector', async () => {
    await write('a', { in: 'no' })
    const events = await collect({ labelSelector: 'in=yes' }, 2, async () => {
      await relabel('a', { in: 'yes' })
      await relabel('a', { in: 'no' })
    })
    expect(events).toEqual(['ADDED a', 'DELETED a'])
  })

  it('marks the end of what was there when asked', async () => {
    await write('a', {})
    const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true }
    expect(await collect(query, 2, () => Promise.resolve())).toEqual(['ADDED a', 'BOOKMARK undefined'])
  })

  it('ends after its time', async () => {
    const url = `${config.getCurrentCluster()?.server}/api/v1/pods?watch=1&timeoutSeconds=1`
    const answer = await fetch(url)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('')
  })
})

describe('logs', () => {
  it('are refused for a pod that is not there', async () => {
    const answer = await refusal(core.readNamespacedPodLog({ namespace, name: 'none' }))
    expect(answer).toMatchObject({ code: 404, body: { message: 'pods "none" not found' } })
  })

  it('start where the client wants', async () => {
    await core.createNamespacedPod({ namespace, body: pod('a') })
    await advance(10_000)
    const all = await core.readNamespacedPodLog({ namespace, name: 'a' })
    const stamped = await core.readNamespacedPodLog({ namespace, name: 'a', timestamps: true })
    expect(stamped.split('\n').length).toBe(all.split('\n').length)
    const none = await core.readNamespacedPodLog({ namespace, name: 'a', tailLines: 0 })
    expect(none ?? '').toBe('')
  })
})

it('starts virtual time at a fixed date', async () => {
  const made = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' } } })
  expect(made.metadata?.creationTimestamp).toEqual(new Date(START))
})
