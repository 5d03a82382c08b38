import { createApi } from './api.js'
import { createPaths } from './paths.js'
import { preflight } from './preflight.js'
import { type PreflightRequest } from './preflight-check.js'
import { type ApiRequest, type Transport } from './transport.js'

const resources = (...kinds: string[]) => ({
  resources: kinds.map((kind) => ({ kind, name: `${kind.toLowerCase()}s`, namespaced: kind !== 'Namespace' })),
})
const manager = (labels: Record<string, string>, image = 'chaos-mesh') => ({
  items: [{ metadata: { name: 'm', labels }, spec: { template: { spec: { containers: [{ image }] } } } }],
})

const node = (ready: boolean, spec = {}) => ({
  metadata: { name: 'n' },
  spec,
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})

/** A cluster where everything is as it should be, but for `instead`; `denied` verbs are not allowed. */
function clusterWith(instead: Record<string, unknown> = {}, denied: readonly string[] = []): Transport {
  const good: Record<string, unknown> = {
    '/version': { gitVersion: 'v1.34.1' },
    '/api/v1/nodes': { items: [node(true), node(true)] },
    '/api/v1': resources('Namespace', 'Pod'),
    '/apis/chaos-mesh.org/v1alpha1': resources(
      'PodChaos',
      'NetworkChaos',
      'StressChaos',
      'DNSChaos',
      'HTTPChaos',
      'IOChaos',
      'TimeChaos',
    ),
    '/apis/authorization.k8s.io/v1': resources('SelfSubjectAccessReview'),
    '/apis/apps/v1/deployments': manager({ 'app.kubernetes.io/version': '2.8.0' }),
    ...instead,
  }
  return async ({ path, body }: ApiRequest) => {
    if (path.endsWith('/selfsubjectaccessreviews')) {
      const { resourceAttributes } = (body as { spec: { resourceAttributes: { verb: string } } }).spec
      const allowed = !denied.includes(resourceAttributes.verb)
      return { status: 201, text: JSON.stringify({ status: { allowed } }) }
    }
    const found = good[path.split('?')[0] ?? '']
    return found ? { status: 200, text: JSON.stringify(found) } : { status: 404, text: '{"reason":"NotFound"}' }
  }
}

const request: PreflightRequest = {
  namespaces: [{ name: 'mine', owned: (found) => found.metadata.labels?.['owner'] === 'me' }],
  needs: [
    { apiVersion: 'v1', kind: 'Pod', verbs: ['list', 'delete'], namespace: 'mine' },
    { apiVersion: 'v1', kind: 'Pod', subresource: 'log', verbs: ['get'], namespace: 'mine' },
    { apiVersion: 'v1', kind: 'Namespace', verbs: ['create'], namespace: 'mine' },
  ],
}
const look = (transport: Transport, more: Partial<PreflightRequest> = {}) => {
  const api = createApi(transport, [])
  return preflight(api, createPaths(api), { ...request, ...more })
}

const FREE = { refusals: [], hindrances: [], warnings: [] }

describe('preflight', () => {
  it('has nothing to say of a cluster that is ready', async () => {
    expect(await look(clusterWith())).toEqual(FREE)
  })
  it.each([
    ['v1.24.17', true],
    ['v1.25.0', false],
    ['v1.34.4+k3s1', false],
    ['v0.9', true],
    ['2.0', false],
  ])('judges version %s of the API server (too old: %s)', async (gitVersion, tooOld) => {
    const { refusals, warnings } = await look(clusterWith({ '/version': { gitVersion } }))
    expect(refusals).toEqual(tooOld ? [`Kubernetes ${gitVersion} is too old; Ordeal needs 1.25 or newer`] : [])
    expect(warnings).toEqual([])
  })
  it('warns where the version of the API server cannot be read', async () => {
    const { refusals, warnings } = await look(clusterWith({ '/version': { gitVersion: 'main' } }))
    expect([refusals, warnings.join()]).toEqual([[], expect.stringMatching(/cannot be told from 'main'/)])
  })
  it('says when an API server does not answer, and with what', async () => {
    const refused = () =>
      Promise.reject(
        new Error('no answer', { cause: new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }) }),
      )
    await expect(look(refused)).rejects.toMatchObject({
      code: 'cluster-lost',
      message: expect.stringContaining('does not answer: connect ECONNREFUSED'),
    })
  })
  it('is hindered where no node takes pods now, and says what a single one cannot show', async () => {
    const withNodes = (...items: unknown[]) => look(clusterWith({ '/api/v1/nodes': { items } }))
    expect((await withNodes(node(false), node(true, { unschedulable: true }))).hindrances).toEqual([
      'none of its 2 nodes is ready and takes pods',
    ])
    const alone = await withNodes(node(true), node(false))
    expect([alone.refusals, alone.warnings.join()]).toEqual([[], expect.stringMatching(/one node that takes pods/)])
    expect(await look(clusterWith({ '/api/v1/nodes': undefined }))).toEqual(FREE)
  })
  it('finds Chaos Mesh where it is usually installed when it may not look everywhere', async () => {
    const there = manager({ 'app.kubernetes.io/version': '2.7.2' })
    const narrow = { '/apis/apps/v1/deployments': undefined, '/apis/apps/v1/namespaces/chaos-mesh/deployments': there }
    expect((await look(clusterWith(narrow))).refusals.join()).toMatch(/Chaos Mesh 2\.7\.2 is too old/)
  })
  it('names every missing right, by namespace', async () => {
    expect(await look(clusterWith({}, ['delete', 'get', 'create']))).toEqual({
      hindrances: [],
      refusals: [
        'the credentials may not delete pods; get pods/log in namespace mine',
        'the credentials may not create namespaces in the whole cluster',
      ],
      warnings: [],
    })
  })
  it('asks for no rights where the cluster has no authorisation', async () => {
    const { refusals } = await look(clusterWith({ '/apis/authorization.k8s.io/v1': undefined }, ['delete']))
    expect(refusals).toEqual([])
  })
  it('refuses a cluster without Chaos Mesh, or with one that lacks a kind', async () => {
    const none = await look(clusterWith({ '/apis/chaos-mesh.org/v1alpha1': undefined }))
    expect(none.refusals.join()).toMatch(/Chaos Mesh is not installed.*install version 2\.7\.3/)
    const old = await look(clusterWith({ '/apis/chaos-mesh.org/v1alpha1': resources('PodChaos') }))
    expect(old.refusals.join()).toMatch(/does not know NetworkChaos/)
  })
  it.each([
    ['2.7.2', true],
    ['2.7.3', false],
    ['2.10.0', false],
    ['1.9.9', true],
    ['3.0.0', false],
  ])('judges version %s of Chaos Mesh (too old: %s)', async (version, tooOld) => {
    const byLabel = await look(
      clusterWith({ '/apis/apps/v1/deployments': manager({ 'app.kubernetes.io/version': version }) }),
    )
    const byImage = await look(
      clusterWith({ '/apis/apps/v1/deployments': manager({}, `mirror/chaos-mesh:v${version}`) }),
    )
    for (const { refusals, warnings } of [byLabel, byImage]) {
      expect(refusals.some((r) => r.includes(`Chaos Mesh ${version} is too old`))).toBe(tooOld)
      expect(warnings).toEqual([])
    }
  })
  it('warns where the version of Chaos Mesh cannot be told', async () => {
    for (const answer of [{ items: [] }, manager({}, 'chaos-mesh:latest'), undefined]) {
      const { refusals, warnings } = await look(clusterWith({ '/apis/apps/v1/deployments': answer }))
      expect(refusals).toEqual([])
      expect(warnings.join()).toMatch(/version of Chaos Mesh cannot be told/)
    }
  })
  it('asks for no version where the kinds of Chaos Mesh are the own ones of the embedded cluster', async () => {
    const version = { gitVersion: 'v1.34.4+ordeal' }
    const builtIn = clusterWith({ '/version': version, '/apis/apps/v1/deployments': { items: [] } })
    expect(await look(builtIn)).toEqual(FREE)
  })
  it('takes a namespace that is its own, and refuses one that is not, is going, or holds the system together', async () => {
    const found = (metadata: object) => clusterWith({ '/api/v1/namespaces/mine': { metadata } })
    expect((await look(found({ labels: { owner: 'me' } }))).refusals).toEqual([])
    expect((await look(found({ labels: { owner: 'you' } }))).refusals.join()).toMatch(/was not made by this cycle/)
    const going = { labels: { owner: 'me' }, deletionTimestamp: '2026-01-01T00:00:00Z' }
    expect((await look(found(going))).refusals.join()).toMatch(/being removed/)
    const system = { namespaces: [{ name: 'kube-system', owned: () => true }] }
    expect((await look(clusterWith(), system)).refusals.join()).toMatch(/kube-system is a system namespace/)
  })
})
