import { cycleId, endpointSchema } from '@ordeal/shared'
import { modelViewSchema, newTenantSchema } from '../api/contract.js'
import { type SpecGateway, startSpecGateway, UPLOAD } from '../testing/spec-gateway.js'

const KEY = 'sk-that-nobody-may-see'
const ENDPOINT = { baseUrl: 'https://models.example.org/v1', apiKey: KEY, model: 'm-1' }

describe('the model of a tenant', () => {
  let gateway: SpecGateway
  let theirs: string
  beforeAll(async () => {
    gateway = await startSpecGateway()
    const body = { id: 'theirs', models: { tokens: 1000, usd: null } }
    const made = await gateway.call('POST', '/v1/tenants', { body, key: gateway.adminKey })
    theirs = newTenantSchema.parse(await made.json()).key.key
  })
  afterAll(() => gateway.stop())

  const shown = async (key?: string) =>
    modelViewSchema.parse(await (await gateway.call('GET', '/v1/model', { key })).json())
  const inCycle = async () => {
    const answer = await gateway.call('POST', '/v1/cycles', { body: UPLOAD })
    const { id } = (await answer.json()) as { id: string }
    return gateway.service.runtime.documents({ tenantId: gateway.tenant, cycleId: cycleId.parse(id) }).vault
  }

  it('is set, shown without its key, handed to cycles, and removed', async () => {
    await expect((await inCycle()).get('model', endpointSchema)).rejects.toMatchObject({ code: 'vault-missing' })
    const set = await gateway.call('PUT', '/v1/model', { body: ENDPOINT })
    expect(set.status).toBe(200)
    expect(await set.text()).not.toContain(KEY)
    expect((await shown()).endpoint).toEqual({ baseUrl: ENDPOINT.baseUrl, model: 'm-1' })
    expect(await (await inCycle()).get('model', endpointSchema)).toMatchObject(ENDPOINT)

    expect((await gateway.call('DELETE', '/v1/model')).status).toBe(204)
    expect((await gateway.call('DELETE', '/v1/model')).status).toBe(404)
    expect((await shown()).endpoint).toBeNull()
  })

  it('is nobody else’s, and nor is what it cost', async () => {
    await gateway.call('PUT', '/v1/model', { body: ENDPOINT })
    expect(await shown(theirs)).toEqual({
      endpoint: null,
      month: { tokens: 0, usd: 0 },
      limits: { tokens: 1000, usd: null },
    })
  })

  it.each(['http://169.254.169.254/v1', 'http://localhost:5432/v1', 'https://models.example.org.evil.example/v1'])(
    'may not be at %s, where the operator of the installation has not said so',
    async (baseUrl) => {
      const answer = await gateway.call('PUT', '/v1/model', { body: { ...ENDPOINT, baseUrl } })
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain('ORDEAL_MODEL_HOSTS')
    },
  )

  it('is set by administrators only', async () => {
    const made = await gateway.call('POST', '/v1/keys', { body: { id: 'op', role: 'operator' } })
    const { key } = (await made.json()) as { key: string }
    expect((await gateway.call('PUT', '/v1/model', { body: ENDPOINT, key })).status).toBe(403)
  })
})
