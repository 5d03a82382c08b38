import {
  answerWordsSchema,
  approvalSchema,
  canonicalJson,
  cycleId,
  cycleOptionsSchema,
  hashOf,
  RECORDED_APPROVALS,
  type Approval,
  type Proposal,
} from '@ordeal/shared'
import { addArtefact } from '@ordeal/shared/runtime'
import { z } from 'zod'
import {
  type AnswerProposal,
  approvalListSchema,
  type ApprovalView,
  type CycleView,
  problemSchema,
} from '../api/contract.js'
import { type SpecGateway, startSpecGateway, UPLOAD } from '../testing/spec-gateway.js'

const FORM = {
  type: 'object',
  properties: {
    steadyStates: { type: 'array', items: { type: 'object', properties: { id: { enum: ['web'] } }, required: ['id'] } },
  },
  required: ['steadyStates'],
  additionalProperties: false,
}
const proposed = (more: Partial<Proposal> = {}): Proposal => ({
  what: 'hypothesis',
  revision: 0,
  round: 1,
  title: 'Hypothesis: a pod is lost',
  text: 'event: a pod is lost\n',
  document: { steadyStates: [{ id: 'web' }] },
  form: FORM,
  decisions: ['approve', 'revise', 'replace', 'reject'],
  problems: [],
  ...more,
})

describe('answering proposals over HTTP', () => {
  let gateway: SpecGateway
  beforeAll(async () => {
    gateway = await startSpecGateway()
  })
  afterAll(() => gateway.stop())

  const keyOf = async (role: string): Promise<string> => {
    const made = await gateway.call('POST', '/v1/keys', {
      body: { id: `${role}-${Math.random()}`.replace('.', '-'), role },
    })
    return ((await made.json()) as { key: string }).key
  }
  /** A cycle whose phase `freeze` asks, as a service writes it down. */
  async function asking(proposal: Proposal = proposed(), seconds = 600): Promise<{ cycle: CycleView; path: string }> {
    const cycle = await gateway.start()
    const body = canonicalJson(proposal)
    const id = hashOf(body)
    const key = { tenantId: gateway.tenant, cycleId: cycleId.parse(cycle.id) }
    await gateway.service.runtime.store.withTenant(gateway.tenant, async (tx) => {
      await addArtefact(tx, key, { id, kind: 'proposal', name: proposal.what, revision: 0, body })
      await tx.query(
        `insert into shared.approvals
           (tenant_id, cycle_id, proposal_id, service, phase, revision, what, by_default, expires_at)
         values ($1, $2, $3, 'hypothesis', 'freeze', 0, $4, 'reject', now() + $5 * interval '1 s')`,
        [gateway.tenant, cycle.id, id, proposal.what, seconds],
      )
    })
    return { cycle, path: `/v1/cycles/${cycle.id}/approvals/${id}` }
  }
  const answer = (path: string, body: AnswerProposal, key?: string): Promise<Response> =>
    gateway.call('POST', path, { body, key })
  const listed = async ({ id }: { id: string }): Promise<ApprovalView[]> =>
    approvalListSchema.parse(await (await gateway.call('GET', `/v1/cycles/${id}/approvals`)).json()).approvals
  const events = async ({ id }: { id: string }): Promise<Record<string, unknown>[]> => {
    const rows = await gateway.service.runtime.store.withTenant(gateway.tenant, (tx) =>
      tx.query<{ envelope: { type: string; data: Record<string, unknown> } }>(
        `select envelope from gateway.outbox where cycle_id = $1 order by sequence`,
        [id],
      ),
    )
    return rows
      .map(({ envelope }) => envelope)
      .filter(({ type }) => type === 'approval.given')
      .map(({ data }) => data)
  }

  it('shows what is asked, takes an answer, seals its words, and resumes the phase once', async () => {
    const { cycle, path } = await asking()
    expect(await listed(cycle)).toMatchObject([{ ...proposed(), phase: 'freeze', state: 'open', answer: null }])
    const said: AnswerProposal = { decision: 'revise', message: 'the password is hunter2' }
    const given = await answer(path, said)
    expect(given.status).toBe(200)
    expect(await given.json()).toMatchObject({ state: 'decided', answer: { decision: 'revise', by: 'first' } })
    expect((await answer(path, said, await keyOf('operator'))).status).toBe(200)
    expect(await events(cycle)).toEqual([
      {
        ...{ service: 'hypothesis', phase: 'freeze', what: 'hypothesis', decision: 'revise', by: 'first' },
        proposal: path.split('/').at(-1),
      },
    ])
    const { vault, artefacts } = gateway.service.runtime.documents({
      tenantId: gateway.tenant,
      cycleId: cycleId.parse(cycle.id),
    })
    expect(await vault.get(`approval/${path.split('/').at(-1)}`, answerWordsSchema)).toMatchObject({
      message: said.message,
    })
    expect(await artefacts.all('approval', approvalSchema)).toEqual([])
  })

  it('keeps the first answer: another one, or the same with other words, is refused', async () => {
    const { cycle, path } = await asking()
    await answer(path, { decision: 'reject', message: 'too early' })
    for (const other of [{ decision: 'approve' }, { decision: 'reject', message: 'too late' }] as const) {
      const refused = await answer(path, other)
      expect([refused.status, (await refused.json()) as object]).toEqual([
        409,
        expect.objectContaining({ type: expect.stringMatching(/decided$/) as string }),
      ])
    }
    expect(await events(cycle)).toHaveLength(1)
  })

  it('lets one of two win that answer at once', async () => {
    const { cycle, path } = await asking()
    const both = await Promise.all([answer(path, { decision: 'approve' }), answer(path, { decision: 'reject' })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await events(cycle)).toHaveLength(1)
  })

  it('names the places of a replacement that is not of the form', async () => {
    const { cycle, path } = await asking()
    const refused = await answer(path, { decision: 'replace', document: { steadyStates: [{ id: 'db' }] } })
    expect(refused.status).toBe(422)
    expect(problemSchema.parse(await refused.json()).errors?.[0]?.pointer).toBe('/document/steadyStates/0/id')
    expect((await answer(path, { decision: 'replace' })).status).toBe(422)
    expect((await answer(path, { decision: 'revise', message: ' ' })).status).toBe(422)
    expect((await listed(cycle))[0]?.state).toBe('open')
    expect((await answer(path, { decision: 'replace', document: { steadyStates: [{ id: 'web' }] } })).status).toBe(200)
  })

  it('offers no more than the proposal does', async () => {
    const { path } = await asking(proposed({ round: 5, decisions: ['approve', 'reject'] }))
    const refused = await answer(path, { decision: 'revise', message: 'once more' })
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('only approve or reject')])
  })

  it('is too late after the time, and after the cycle', async () => {
    const expired = await asking(proposed(), -1)
    expect((await answer(expired.path, { decision: 'approve' })).status).toBe(409)
    expect((await listed(expired.cycle))[0]?.state).toBe('expired')
    const over = await asking()
    await gateway.call('POST', `/v1/cycles/${over.cycle.id}/cancel`)
    const refused = await answer(over.path, { decision: 'approve' })
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('too-late')])
    expect((await listed(over.cycle))[0]?.state).toBe('over')
  })

  it('is for operators, of the same tenant', async () => {
    const { cycle, path } = await asking()
    expect((await answer(path, { decision: 'approve' }, await keyOf('viewer'))).status).toBe(403)
    const made = await gateway.call('POST', '/v1/tenants', { body: { id: 'theirs' }, key: gateway.adminKey })
    const theirs = ((await made.json()) as { key: { key: string } }).key.key
    expect((await answer(path, { decision: 'approve' }, theirs)).status).toBe(404)
    expect((await gateway.call('GET', `/v1/cycles/${cycle.id}/approvals`, { key: theirs })).status).toBe(404)
    const unknown = `/v1/cycles/${cycle.id}/approvals/sha256:${'0'.repeat(64)}`
    expect((await answer(unknown, { decision: 'approve' })).status).toBe(404)
    expect((await answer(`/v1/cycles/${cycle.id}/approvals/x`, { decision: 'approve' })).status).toBe(404)
  })

  describe('under a policy of the tenant', () => {
    const optionsOf = async (body: object) => {
      const { id } = await gateway.start({ ...UPLOAD, ...body })
      const documents = gateway.service.runtime.documents({ tenantId: gateway.tenant, cycleId: cycleId.parse(id) })
      return { options: await documents.artefacts.latest('options', cycleOptionsSchema), vault: documents.vault }
    }
    const policy = { approve: ['improvement'], timeoutMs: 3_600_000, byDefault: 'reject' }
    const setPolicy = (body: object, key?: string): Promise<Response> =>
      gateway.call('PUT', '/v1/approval-policy', { body, key })

    it('is set by administrators, and shown', async () => {
      expect((await setPolicy(policy, await keyOf('editor'))).status).toBe(403)
      expect((await setPolicy({ approve: ['everything'] })).status).toBe(400)
      expect((await setPolicy(policy)).status).toBe(200)
      const shown = await gateway.call('GET', '/v1/approval-policy', { key: await keyOf('viewer') })
      expect(await shown.json()).toEqual(policy)
    })

    it('cannot be weakened by a cycle, which may ask for more', async () => {
      const weak = { approve: ['hypothesis'], approveTimeoutMs: 1000, approveDefault: 'approve' }
      const { options } = await optionsOf({ options: weak })
      expect(options).toMatchObject({
        approve: ['improvement', 'hypothesis'],
        approveTimeoutMs: 3_600_000,
        approveDefault: 'reject',
      })
    })

    it('takes no recorded approval for a person', async () => {
      const recorded = (what: Approval['what']): Approval => ({
        ...{ what, revision: 0, round: 1, decision: 'approve', by: 'mallory', message: null, document: null },
        ...{ proposal: hashOf(canonicalJson(proposed())), at: '2026-11-30T10:00:00.000Z' },
      })
      const { vault } = await optionsOf({ approvals: [recorded('improvement'), recorded('hypothesis')] })
      const kept = await vault.get(RECORDED_APPROVALS, z.array(approvalSchema))
      expect(kept.map(({ what }) => what)).toEqual(['hypothesis'])
    })
  })
})
