import { cycleId, tenantId, vaultedClusterSchema } from '@ordeal/shared'
import { clusterListSchema, newKeySchema, newTenantSchema, problemSchema } from '../api/contract.js'
import { type SpecGateway, startSpecGateway, UPLOAD } from '../testing/spec-gateway.js'

const TOKEN = 'a-token-that-nobody-may-see'
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const kubeconfig = (more: { cluster?: object; user?: object; context?: object } = {}) => ({
  apiVersion: 'v1',
  kind: 'Config',
  preferences: {},
  clusters: [
    {
      name: 'c',
      cluster: { server: 'https://k8s.example.org:6443', 'certificate-authority-data': base64('ca'), ...more.cluster },
    },
  ],
  users: [{ name: 'u', user: { token: TOKEN, ...more.user } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'ordeal-home-ours', ...more.context } }],
  'current-context': 'x',
})

describe('registered clusters', () => {
  let gateway: SpecGateway
  let theirs: string
  beforeAll(async () => {
    gateway = await startSpecGateway()
    const made = await gateway.call('POST', '/v1/tenants', { body: { id: 'theirs' }, key: gateway.adminKey })
    theirs = newTenantSchema.parse(await made.json()).key.key
  })
  afterAll(() => gateway.stop())

  const register = (name: string, config: unknown = kubeconfig(), key?: string) =>
    gateway.call('POST', '/v1/clusters', { body: { name, kubeconfig: config }, key })
  const names = async (key?: string): Promise<string[]> => {
    const answer = await gateway.call('GET', '/v1/clusters', { key })
    return clusterListSchema.parse(await answer.json()).clusters.map((cluster) => cluster.name)
  }
  const credentialOf = async (cycle: string, tenant = gateway.tenant) => {
    const { vault } = gateway.service.runtime.documents({ tenantId: tenant, cycleId: cycleId.parse(cycle) })
    return (await vault.get('cluster', vaultedClusterSchema)).credential
  }
  const startOn = async (cluster: string, key?: string) => {
    const answer = await gateway.call('POST', '/v1/cycles', { body: { ...UPLOAD, options: { cluster } }, key })
    return ((await answer.json()) as { id: string }).id
  }

  it('are shown without what opens them, and hold it sealed', async () => {
    const made = await register('staging')
    expect(made.status).toBe(201)
    const shown = [await made.text(), await (await gateway.call('GET', '/v1/clusters')).text()]
    for (const text of shown) expect(text).not.toContain(TOKEN)
    expect(JSON.parse(shown[0] ?? '')).toMatchObject({
      name: 'staging',
      server: 'https://k8s.example.org:6443',
      namespace: 'ordeal-home-ours',
    })
    const rows = await gateway.service.runtime.store.withTenant(gateway.tenant, (tx) =>
      tx.query<{ sealed: Buffer }>('select * from gateway.clusters'),
    )
    expect(rows.map((row) => row.sealed.toString('latin1')).join()).not.toContain(TOKEN)
    expect((await register('staging')).status).toBe(409)
  })

  it('open for the cycles that name them, and for no other', async () => {
    await register('production')
    expect(await credentialOf(await startOn('production'))).toEqual({
      server: 'https://k8s.example.org:6443',
      certificateAuthority: base64('ca'),
      token: TOKEN,
      namespace: 'ordeal-home-ours',
    })
    await expect(credentialOf(await startOn('embedded'))).rejects.toMatchObject({ code: 'vault-missing' })
    await expect(credentialOf(await startOn('a-context'))).rejects.toMatchObject({ code: 'vault-missing' })
  })

  it('are nothing to another tenant', async () => {
    await register('mine')
    expect(await names(theirs)).toEqual([])
    expect((await gateway.call('DELETE', '/v1/clusters/mine', { key: theirs })).status).toBe(404)
    const cycle = await startOn('mine', theirs)
    await expect(credentialOf(cycle, tenantId.parse('theirs'))).rejects.toMatchObject({ code: 'vault-missing' })
    expect((await register('mine', kubeconfig(), theirs)).status).toBe(201)
    expect(await names()).toContain('mine')
  })

  it('are in the hands of administrators', async () => {
    const body = { id: 'operator', role: 'operator' }
    const { key } = newKeySchema.parse(await (await gateway.call('POST', '/v1/keys', { body })).json())
    await register('guarded')
    expect((await register('other', kubeconfig(), key)).status).toBe(403)
    expect((await gateway.call('DELETE', '/v1/clusters/guarded', { key })).status).toBe(403)
    expect(await names(key)).toContain('guarded')
  })

  it('are gone when they are removed, but for the cycles that run on them', async () => {
    await register('old')
    const running = await startOn('old')
    expect((await gateway.call('DELETE', '/v1/clusters/old')).status).toBe(204)
    expect((await gateway.call('DELETE', '/v1/clusters/old')).status).toBe(404)
    expect(await names()).not.toContain('old')
    expect(await credentialOf(running)).toMatchObject({ token: TOKEN })
    await expect(credentialOf(await startOn('old'))).rejects.toMatchObject({ code: 'vault-missing' })
  })

  const client = { token: undefined, 'client-certificate-data': base64('c'), 'client-key-data': base64('k') }
  it('take a client certificate with its key, and what tools add', async () => {
    const config = kubeconfig({ user: client, cluster: { extensions: [{ name: 'minikube' }] } })
    expect((await register('by-certificate', config)).status).toBe(201)
  })

  it.each<[string, unknown, RegExp]>([
    [
      'a program',
      kubeconfig({ user: { exec: { command: 'sh' } } }),
      /\/kubeconfig\/users\/0\/user: exec: only what stands in/,
    ],
    ['a file with a token', kubeconfig({ user: { tokenFile: '/etc/passwd' } }), /tokenFile/],
    ['a file with a key', kubeconfig({ user: { 'client-key': '/etc/key' } }), /client-key/],
    [
      'a file with certificates',
      kubeconfig({ cluster: { 'certificate-authority': '/etc/ca' } }),
      /certificate-authority/,
    ],
    ['another identity', kubeconfig({ user: { as: 'system:admin' } }), /another identity/],
    ['a proxy', kubeconfig({ cluster: { 'proxy-url': 'http://evil' } }), /proxy-url/],
    ['a server without TLS', kubeconfig({ cluster: { server: 'http://k8s' } }), /https/],
    [
      'a server that nobody vouches for',
      kubeconfig({ cluster: { 'insecure-skip-tls-verify': true } }),
      /insecure-skip/,
    ],
    ['no credential', kubeconfig({ user: { token: undefined } }), /give a token/],
    ['half a credential', kubeconfig({ user: { 'client-key-data': base64('k') } }), /client certificate with its key/],
    [
      'two contexts',
      { ...kubeconfig(), contexts: [...kubeconfig().contexts, ...kubeconfig().contexts] },
      /exactly one/,
    ],
    ['no kubeconfig', 'apiVersion: v1', /kubeconfig/],
  ])('refuse %s, and say why', async (_, config, words) => {
    const answer = await register('bad', config)
    expect(answer.status).toBe(400)
    expect(problemSchema.parse(await answer.json()).detail).toMatch(words)
  })

  it.each(['embedded', 'in-cluster', 'Upper', ''])("cannot be called '%s'", async (name) => {
    expect((await register(name)).status).toBe(400)
  })
})
