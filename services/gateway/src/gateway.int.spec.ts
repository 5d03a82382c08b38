import { randomBytes } from 'node:crypto'
import {
  type ArtefactId,
  createLogger,
  cycleId,
  type EventDraft,
  parseServiceConfig,
  type RunningService,
  tenantId,
} from '@ordeal/shared'
import { startService } from '@ordeal/shared/runtime'
import { createSpecDatabase, emptySpecNats, type SpecDatabase } from '@ordeal/shared/testing/servers'
import { newApiKey } from './api/api-key.js'
import { cyclePageSchema, type CycleView, cycleViewSchema, problemSchema } from './api/contract.js'
import { gatewayParts } from './gateway.parts.js'
import { provisionTenant } from './provision-tenant.js'

const [ours, theirs] = [tenantId.parse('ours'), tenantId.parse('theirs')]
const keys = { ours: newApiKey(), theirs: newApiKey() }
const ARTEFACT = `sha256:${'0'.repeat(64)}` as ArtefactId
const upload = { project: 'shop', input: { files: [{ path: 'pod.yaml', content: 'kind: Pod' }] } }

describe('gateway', () => {
  let database: SpecDatabase
  let gateway: RunningService
  beforeAll(async () => {
    database = await createSpecDatabase()
    const config = parseServiceConfig({
      DATABASE_URL: database.databaseUrl,
      PLUMBING_DATABASE_URL: database.plumbingDatabaseUrl,
      NATS_URL: (await emptySpecNats()).url,
      ORDEAL_VAULT_KEY: randomBytes(32).toString('base64'),
    })
    const { definition, options } = gatewayParts()
    gateway = await startService(definition, config, { ...options, log: createLogger('gateway', 'silent') })
    await provisionTenant(gateway.runtime.store, ours, { id: 'first', apiKey: keys.ours })
    await provisionTenant(gateway.runtime.store, theirs, { id: 'first', apiKey: keys.theirs })
  })
  afterAll(async () => {
    await gateway.stop()
    await database.drop()
  })

  const call = (method: string, path: string, more: { body?: unknown; key?: string; headers?: object } = {}) =>
    fetch(`${gateway.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${more.key ?? keys.ours}`,
        ...(more.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more.headers,
      },
      body: more.body === undefined ? undefined : JSON.stringify(more.body),
    })
  const start = async (headers = {}): Promise<CycleView> =>
    cycleViewSchema.parse(await (await call('POST', '/v1/cycles', { body: upload, headers })).json())
  const publish = ({ id }: CycleView, ...drafts: EventDraft[]): Promise<void> =>
    gateway.runtime.store.withTenant(ours, (tx) =>
      gateway.runtime.emit(tx, { tenantId: ours, cycleId: cycleId.parse(id) }, drafts),
    )
  const finish = (cycle: CycleView, outcome: 'resilient' | 'failed' = 'resilient', problem: string | null = null) =>
    publish(cycle, { type: 'cycle.finished', revision: 0, data: { outcome, results: ARTEFACT, problem } })
  const events = async ({ id }: CycleView, after = 0): Promise<{ id: number; type: string }[]> => {
    const response = await call('GET', `/v1/cycles/${id}/events`, { headers: { 'last-event-id': String(after) } })
    const frames = [...(await response.text()).matchAll(/^id: (\d+)\nevent: (\S+)$/gm)]
    return frames.map(([, sequence, type]) => ({ id: Number(sequence), type: type as string }))
  }

  it('takes a cycle and says where it is', async () => {
    const response = await call('POST', '/v1/cycles', { body: upload })
    const cycle = cycleViewSchema.parse(await response.json())
    expect(response.status).toBe(202)
    expect(response.headers.get('location')).toBe(`/v1/cycles/${cycle.id}`)
    expect(cycle).toMatchObject({ project: 'shop', status: 'queued', outcome: null })
    expect(await (await call('GET', `/v1/cycles/${cycle.id}`)).json()).toMatchObject({ id: cycle.id })
  })

  it('starts one cycle for one Idempotency-Key, also when asked twice at once', async () => {
    const [one, two] = await Promise.all([start({ 'idempotency-key': 'k1' }), start({ 'idempotency-key': 'k1' })])
    expect(two.id).toBe(one.id)
    const again = await call('POST', '/v1/cycles', { body: upload, headers: { 'idempotency-key': 'k1' } })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = await call('POST', '/v1/cycles', {
      body: { ...upload, project: 'other' },
      headers: { 'idempotency-key': 'k1' },
    })
    expect(other.status).toBe(422)
  })

  it('streams the events of a cycle to its end, and again from anywhere', async () => {
    const cycle = await start()
    const streaming = events(cycle)
    await publish(cycle, {
      type: 'phase.failed',
      revision: 0,
      data: { service: 's', phase: 'p', code: 'c', message: 'why' },
    })
    await finish(cycle)
    const all = await streaming
    expect(all.map((event) => event.type)).toEqual(['cycle.requested', 'phase.failed', 'cycle.finished'])
    expect(all.map((event) => event.id)).toEqual([1, 2, 3])
    expect(await events(cycle, 2)).toEqual([{ id: 3, type: 'cycle.finished' }])
    expect(await (await call('GET', `/v1/cycles/${cycle.id}`)).json()).toMatchObject({
      status: 'finished',
      outcome: 'resilient',
      problem: 'why',
    })
  })

  it('cancels once, for every role, and not after the end', async () => {
    const cycle = await start()
    const cancel = async (): Promise<CycleView> =>
      cycleViewSchema.parse(await (await call('POST', `/v1/cycles/${cycle.id}/cancel`)).json())
    expect((await cancel()).status).toBe('cancelling')
    expect((await cancel()).status).toBe('cancelling')
    await finish(cycle)
    const types = (await events(cycle)).map((event) => event.type)
    expect(types).toEqual(['cycle.requested', 'cycle.cancel-requested', 'cycle.finished'])
    expect((await cancel()).status).toBe('finished')
  })

  it('lists cycles page by page, newest first', async () => {
    const [first, second] = [await start(), await start()]
    const page = async (query: string) => cyclePageSchema.parse(await (await call('GET', `/v1/cycles?${query}`)).json())
    const newest = await page('limit=1&project=shop')
    expect(newest.cycles.map((cycle) => cycle.id)).toEqual([second.id])
    expect((await page(`limit=1&after=${newest.next}`)).cycles.map((cycle) => cycle.id)).toEqual([first.id])
  })

  it('shows nothing of a tenant to another', async () => {
    const cycle = await start()
    for (const path of ['', '/events', '/results', '/artefacts', '/files/improved', '/files/report.html']) {
      expect((await call('GET', `/v1/cycles/${cycle.id}${path}`, { key: keys.theirs })).status).toBe(404)
    }
    expect((await call('POST', `/v1/cycles/${cycle.id}/cancel`, { key: keys.theirs })).status).toBe(404)
    const theirCycles = await call('GET', '/v1/cycles', { key: keys.theirs })
    expect(await theirCycles.json()).toEqual({ cycles: [], next: null })
  })

  it.each([
    ['no key', 'GET', '/v1/cycles', { headers: { authorization: '' } }, 401],
    ['a wrong key', 'GET', '/v1/cycles', { key: newApiKey() }, 401],
    ['an unknown cycle', 'GET', '/v1/cycles/cyc-aaaaaaaaaaaaaaaa', {}, 404],
    ['an id that is none', 'GET', '/v1/cycles/x', {}, 404],
    ['an unknown path', 'GET', '/v2', {}, 404],
    ['a bad body', 'POST', '/v1/cycles', { body: { input: {} } }, 400],
    ['a bad cursor', 'GET', '/v1/cycles?after=x', {}, 400],
    ['too large a body', 'POST', '/v1/cycles', { body: 'x'.repeat(33 * 1024 * 1024) }, 413],
    ['another media type', 'POST', '/v1/cycles', { body: {}, headers: { 'content-type': 'text/csv' } }, 415],
  ] as const)('answers %s with a problem and what to do', async (_, method, path, more, status) => {
    const response = await call(method, path, more)
    const problem = problemSchema.parse(await response.json())
    expect(response.headers.get('content-type')).toContain('application/problem+json')
    expect([response.status, problem.status]).toEqual([status, status])
    expect(problem.remedy).toBeTruthy()
  })

  it('gives documents, and the outcome of the clean-up over that of the results', async () => {
    const cycle = await start()
    const { artefacts, vault } = gateway.runtime.documents({ tenantId: ours, cycleId: cycleId.parse(cycle.id) })
    await artefacts.put('report', { content: '<html>' }, { name: 'report.html' })
    await vault.put('changes.patch', { content: '--- a' })
    const report = await call('GET', `/v1/cycles/${cycle.id}/files/report.html`)
    expect(report.headers.get('content-security-policy')).toContain('sandbox')
    expect(await report.text()).toBe('<html>')
    expect(await (await call('GET', `/v1/cycles/${cycle.id}/files/changes.patch`)).text()).toBe('--- a')
    expect((await call('GET', `/v1/cycles/${cycle.id}/files/improved`)).status).toBe(404)
    const list = (await (await call('GET', `/v1/cycles/${cycle.id}/artefacts`)).json()) as {
      artefacts: { id: string }[]
    }
    expect(list.artefacts).toMatchObject([
      { kind: 'options', revision: null },
      { kind: 'report', name: 'report.html' },
    ])
    const options = await call('GET', `/v1/cycles/${cycle.id}/artefacts/${list.artefacts[0]?.id}`)
    expect(await options.json()).toMatchObject({ cluster: 'embedded' })
    expect((await call('GET', `/v1/cycles/${cycle.id}/results`)).status).toBe(404)
  })
})
