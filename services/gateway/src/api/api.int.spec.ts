import { z } from 'zod'
import { bundleSchema } from '@ordeal/shared'
import { startService } from '@ordeal/shared/runtime'
import { silentLogger } from '@ordeal/shared/testing'
import { operations } from '../describe-api/operations.js'
import { gatewayParts } from '../gateway.parts.js'
import { type SpecGateway, startSpecGateway, UPLOAD } from '../testing/spec-gateway.js'
import { newApiKey } from './api-key.js'
import { cycleViewSchema, keyListSchema, newKeySchema, newTenantSchema, problemSchema } from './contract.js'

describe('the HTTP interface', () => {
  let gateway: SpecGateway
  beforeAll(async () => {
    gateway = await startSpecGateway()
  })
  afterAll(() => gateway.stop())

  const status = async (...args: Parameters<SpecGateway['call']>): Promise<number> =>
    (await gateway.call(...args)).status
  const keyOf = async (role: string, more: object = {}): Promise<string> => {
    const body = { id: `${role}-${newApiKey().slice(-8).toLowerCase().replaceAll('_', 'x')}`, role, ...more }
    return newKeySchema.parse(await (await gateway.call('POST', '/v1/keys', { body })).json()).key
  }

  describe('keys', () => {
    it('give each role what those below have, and its own', async () => {
      const [viewer, operator] = [await keyOf('viewer'), await keyOf('operator')]
      expect(await status('GET', '/v1/cycles', { key: viewer })).toBe(200)
      expect(await status('POST', '/v1/cycles', { key: viewer, body: UPLOAD })).toBe(403)
      expect(await status('POST', '/v1/cycles', { key: operator, body: UPLOAD })).toBe(202)
      expect(await status('GET', '/v1/keys', { key: operator })).toBe(403)
      expect(await status('POST', '/v1/keys', { key: operator, body: { id: 'mine', role: 'admin' } })).toBe(403)
    })

    it('let every role stop a cycle', async () => {
      const { id } = await gateway.start()
      expect(await status('POST', `/v1/cycles/${id}/cancel`, { key: await keyOf('viewer') })).toBe(202)
    })

    it('open nothing once they have expired or are revoked', async () => {
      const expired = await keyOf('viewer', { expiresAt: '2026-01-01T00:00:00Z' })
      expect(await status('GET', '/v1/cycles', { key: expired })).toBe(401)
      const key = await keyOf('viewer', { expiresAt: '2999-01-01T00:00:00Z' })
      expect(await status('GET', '/v1/cycles', { key })).toBe(200)
      const { keys } = keyListSchema.parse(await (await gateway.call('GET', '/v1/keys')).json())
      const id = keys.find((one) => one.expiresAt?.startsWith('2999'))?.id
      expect(await status('DELETE', `/v1/keys/${id}`)).toBe(204)
      expect(await status('DELETE', `/v1/keys/${id}`)).toBe(204)
      expect(await status('GET', '/v1/cycles', { key })).toBe(401)
      expect(await status('DELETE', '/v1/keys/nobody')).toBe(404)
    })

    it('are shown once, kept as hashes, and made once of a name', async () => {
      const made = newKeySchema.parse(
        await (await gateway.call('POST', '/v1/keys', { body: { id: 'ci', role: 'operator' } })).json(),
      )
      expect(await (await gateway.call('GET', '/v1/keys')).text()).not.toContain(made.key)
      const rows = await gateway.service.runtime.store.withTenant(gateway.tenant, (tx) =>
        tx.query('select * from gateway.api_keys'),
      )
      expect(JSON.stringify(rows)).not.toContain(made.key)
      expect(await status('POST', '/v1/keys', { body: { id: 'ci', role: 'viewer' } })).toBe(409)
    })
  })

  describe('tenants', () => {
    const create = (body: object, key = gateway.adminKey) => gateway.call('POST', '/v1/tenants', { body, key })

    it('are made by the operator of the installation alone, once, with the key of their administrator', async () => {
      const { key } = newTenantSchema.parse(await (await create({ id: 'new', name: 'A new one' })).json())
      expect(await (await gateway.call('GET', '/v1/cycles', { key: key.key })).json()).toEqual({
        cycles: [],
        next: null,
      })
      expect((await create({ id: 'new' })).status).toBe(409)
      expect((await create({ id: 'other' }, key.key)).status).toBe(401)
      expect(await status('GET', '/v1/cycles', { key: gateway.adminKey })).toBe(401)
    })

    it('have as many unfinished cycles as their quota lets them, also when they start at once', async () => {
      const { key } = newTenantSchema.parse(await (await create({ id: 'small', activeCycles: 2 })).json())
      const started = await Promise.all(
        Array.from({ length: 6 }, () => gateway.call('POST', '/v1/cycles', { body: UPLOAD, key: key.key })),
      )
      expect(started.filter((response) => response.status === 202)).toHaveLength(2)
      const refused = started.find((response) => response.status === 429)
      expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(problemSchema.parse(await refused?.json()).detail).toContain('2 of at most 2')
    })
  })

  describe('input by reference', () => {
    it('takes the files of an earlier cycle', async () => {
      const first = await gateway.start()
      const again = await gateway.start({ input: { cycle: first.id } })
      const { vault } = gateway.service.runtime.documents({
        tenantId: gateway.tenant,
        cycleId: cycleViewSchema.parse(again).id as never,
      })
      expect(await vault.get('input', bundleSchema)).toEqual(UPLOAD.input)
    })

    it.each([
      ['a cycle that is not there', { cycle: 'cyc-aaaaaaaaaaaaaaaa' }, '/input/cycle'],
      ['a repository', { git: 'https://example.com/x.git' }, 'no other reference'],
      ['two things at once', { ...UPLOAD.input, cycle: 'cyc-aaaaaaaaaaaaaaaa' }, 'either'],
      ['nothing', {}, 'either'],
    ])('refuses %s and says what can be given', async (_, input, words) => {
      const response = await gateway.call('POST', '/v1/cycles', { body: { input } })
      const problem = problemSchema.parse(await response.json())
      expect(response.status).toBe(400)
      expect(problem.detail).toContain(words)
    })

    it('takes nothing of another tenant', async () => {
      const { id } = await gateway.start()
      const body = { id: 'stranger' }
      const made = await gateway.call('POST', '/v1/tenants', { body, key: gateway.adminKey })
      const { key } = newTenantSchema.parse(await made.json())
      expect(await status('POST', '/v1/cycles', { body: { input: { cycle: id } }, key: key.key })).toBe(400)
    })
  })

  it('answers what is no JSON with a problem', async () => {
    const response = await fetch(`${gateway.service.url}/v1/cycles`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await keyOf('operator')}`, 'content-type': 'application/json' },
      body: '{"input":',
    })
    expect(response.headers.get('content-type')).toContain('application/problem+json')
    expect(problemSchema.parse(await response.json()).status).toBe(400)
  })

  describe('its description', () => {
    it('is served to everybody, names every operation, and only points at what it holds', async () => {
      const text = await (await fetch(`${gateway.service.url}/v1/openapi.json`)).text()
      const document = z
        .object({ openapi: z.literal('3.1.0'), components: z.object({ schemas: z.record(z.string(), z.unknown()) }) })
        .parse(JSON.parse(text))
      const pointed = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string)
      expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(pointed))
      for (const { id } of operations) expect(text).toContain(`"operationId":"${id}"`)
    })

    it('names every route that there is, and no other', async () => {
      const routes: string[] = []
      const { definition, options } = gatewayParts()
      const other = await startService(definition, gateway.servers.config, {
        ...options,
        log: silentLogger,
        configure: async (app, runtime) => {
          const fastify = app.getHttpAdapter().getInstance()
          fastify.addHook('onRoute', ({ method, url }) => {
            if (method !== 'HEAD' && url.startsWith('/v1/')) routes.push(`${String(method).toLowerCase()} ${url}`)
          })
          await options.configure?.(app, runtime)
        },
      })
      await other.stop()
      const described = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
      expect(routes.sort()).toEqual([...described, 'get /v1/openapi.json'].sort())
    })
  })
})
