import { createEmbeddedServer } from '../embedded-server.js'
import { type EmbeddedServer } from '../server.js'

const GROUP = 'monitoring.example.com'
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `monitors.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'monitors', singular: 'monitor', kind: 'Monitor', listKind: 'MonitorList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}
const monitor = {
  apiVersion: `${GROUP}/v1`,
  kind: 'Monitor',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { endpoints: [{ port: 'http', interval: '10s' }] },
}

describe('custom resources', () => {
  let server: EmbeddedServer
  beforeEach(async () => {
    server = await createEmbeddedServer({ port: 0, host: '127.0.0.1' })
    const body = JSON.stringify({ id: 'c', seed: 1, mode: 'virtual' })
    expect((await fetch(`${server.url}/clusters`, { method: 'POST', body })).status).toBe(201)
  })
  afterEach(() => server.close())

  const ask = async (method: string, path: string, body?: unknown, type = 'application/json') => {
    const headers = { 'content-type': type }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(`${server.url}/clusters/c${path}`, { method, headers, ...sent })
    return { code: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const MONITORS = `/apis/${GROUP}/v1/namespaces/default/monitors`

  it('are unknown until their kind is defined', async () => {
    expect((await ask('POST', MONITORS, monitor)).code).toBe(404)
    const { code, body } = await ask('POST', DEFINITIONS, definition)
    expect(code).toBe(201)
    expect(body.status).toMatchObject({ acceptedNames: { kind: 'Monitor' }, conditions: [{}, { type: 'Established' }] })
    const { resources } = (await ask('GET', `/apis/${GROUP}/v1`)).body as { resources: { name: string }[] }
    expect(resources).toMatchObject([{ name: 'monitors', kind: 'Monitor', namespaced: true }])
    const { groups } = (await ask('GET', '/apis')).body as { groups: { name: string }[] }
    expect(groups.map(({ name }) => name)).toContain(GROUP)
  })

  it('are kept as they are, and named among the assumptions', async () => {
    await ask('POST', DEFINITIONS, definition)
    const created = await ask('POST', MONITORS, monitor)
    expect(created).toMatchObject({ code: 201, body: { spec: monitor.spec, metadata: { generation: 1 } } })
    const patch = { spec: { endpoints: null, more: true } }
    const patched = await ask('PATCH', `${MONITORS}/web`, patch, 'application/merge-patch+json')
    expect(patched).toMatchObject({ code: 200, body: { spec: { more: true }, metadata: { generation: 2 } } })
    const listed = await ask('GET', `${MONITORS}?labelSelector=app%3Dweb`)
    expect(listed.body).toMatchObject({ items: [{ metadata: { name: 'web' } }] })
    const { assumptions } = (await ask('GET', '')).body as { assumptions: string[] }
    expect(assumptions).toContain(`Monitor/web (${GROUP}/v1) is kept, without effect: nothing acts on its kind`)
    expect((await ask('DELETE', `${MONITORS}/web`)).code).toBe(200)
    expect((await ask('GET', `${MONITORS}/web`)).code).toBe(404)
  })

  it('are refused where their shape or name is none', async () => {
    await ask('POST', DEFINITIONS, definition)
    expect((await ask('POST', MONITORS, { ...monitor, metadata: { name: 'Not A Name' } })).code).toBe(422)
    expect((await ask('POST', MONITORS, { ...monitor, metadata: { labels: { a: 1 } } })).code).toBe(400)
    expect((await ask('POST', MONITORS, 'text')).code).toBe(400)
  })

  it('go with their namespace, and with their definition', async () => {
    await ask('POST', DEFINITIONS, definition)
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'other' } })
    await ask('POST', MONITORS.replace('default', 'other'), monitor)
    await ask('POST', MONITORS, monitor)
    await ask('DELETE', '/api/v1/namespaces/other')
    await ask('DELETE', `${DEFINITIONS}/monitors.${GROUP}`)
    expect((await ask('GET', MONITORS)).code).toBe(404)
    await ask('POST', DEFINITIONS, definition)
    expect((await ask('GET', MONITORS)).body).toMatchObject({ items: [] })
  })
})
