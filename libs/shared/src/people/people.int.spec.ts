import { type Proposal } from '../artefacts/approval.js'
import { Suspended } from '../errors.js'
import { type Envelope } from '../events/envelope.js'
import { artefactId, newCycleId, tenantId, type ArtefactId, type CycleId } from '../ids.js'
import { type ClaimedPhase } from '../phases/claim-phases.js'
import { type PhaseContext } from '../service/definition.js'
import { startService, type RunningService } from '../service/start-service.js'
import { canonicalJson, hashOf } from '../store/canonical-json.js'
import { createPostgresVault, putInVault } from '../store/cycle-documents.js'
import { describePeople } from '../testing/people-contract.js'
import { silentLogger as log } from '../testing/memory-context.js'
import { signal, specService, startSpecServers, type SpecServers } from '../testing/spec-services.js'
import { decide, insertQuestion } from './approvals.sql.js'
import { answerName, createPostgresPeople, givenDraft } from './people.js'

const tenant = tenantId.parse('acme')
const MEASURED = artefactId.parse(`sha256:${'1'.repeat(64)}`)

const PROPOSAL: Proposal = {
  what: 'hypothesis',
  revision: 0,
  round: 1,
  title: 'Hypothesis',
  text: 'event: a pod is lost',
  document: { event: 'a pod is lost' },
  form: {},
  decisions: ['approve', 'revise', 'replace', 'reject'],
  problems: [],
}
const ID = hashOf(canonicalJson(PROPOSAL))

describe('a phase that waits for people', () => {
  let servers: SpecServers
  let gateway: RunningService
  const waiting = new Map<string, (message: Envelope) => void>()
  const started: RunningService[] = []
  beforeAll(async () => {
    servers = await startSpecServers()
    const arrived = (message: Envelope): object => {
      waiting.get(`${message.cycleId} ${message.type}`)?.(message)
      return {}
    }
    const accept = { 'hypothesis.formed': arrived, 'approval.requested': arrived, 'approval.given': arrived }
    gateway = await startService(specService('gateway', accept), servers.config, { log })
  })
  afterEach(async () => {
    await Promise.all(started.splice(0).map((service) => service.stop()))
  })
  afterAll(async () => {
    await gateway.stop()
    await servers.stop()
  })

  const event = <T extends Envelope['type']>(cycleId: CycleId, type: T): Promise<Envelope<T>> =>
    new Promise((resolve) => waiting.set(`${cycleId} ${type}`, resolve as (message: Envelope) => void))

  /** A service whose only phase asks people, and what each of its attempts came to know. */
  const start = async (timeoutMs: number, seen: unknown[] = []): Promise<RunningService> => {
    const service = await startService(
      specService(
        'hypothesis',
        {
          'measurement.finished': () => ({ start: [{ phase: 'freeze', revision: 0, input: {} }] }),
          'approval.given': ({ data }) => ({ resume: { phase: (data as { phase: string }).phase, revision: 0 } }),
          'cycle.cancel-requested': () => ({ close: true }),
        },
        {
          freeze: async (context: PhaseContext) => {
            seen.push('begun')
            seen.push(
              await context.people.answer({ proposal: PROPOSAL, terms: { timeoutMs, byDefault: 'reject' } }),
              await context.people.waitedMs(),
            )
            return [{ type: 'hypothesis.formed', revision: 0, data: { hypothesis: ID } }]
          },
        },
      ),
      servers.config,
      { log },
    )
    started.push(service)
    return service
  }
  const emit = (cycleId: CycleId, type: 'measurement.finished' | 'cycle.cancel-requested'): Promise<void> =>
    gateway.runtime.store.withTenant(tenant, (tx) =>
      gateway.runtime.emit(tx, { tenantId: tenant, cycleId }, [
        type === 'measurement.finished'
          ? { type, revision: 0, data: { measurement: MEASURED } }
          : { type, revision: 0, data: { by: 'spec' } },
      ]),
    )
  const approve = (cycleId: CycleId, by = 'alice'): Promise<boolean> =>
    gateway.runtime.store.withTenant(tenant, async (tx) => {
      const key = { tenantId: tenant, cycleId }
      const decided = await decide(tx, key, ID, { decision: 'approve', by })
      if (!decided) return false
      const body = { message: 'go on', document: null }
      await putInVault(tx, key, gateway.runtime.cipher, { name: answerName(ID), body })
      await gateway.runtime.emit(tx, key, [givenDraft(ID, decided, by)])
      return true
    })
  const phaseOf = async (cycleId: CycleId): Promise<Record<string, unknown> | undefined> => {
    const rows = await gateway.runtime.store.withTenant(tenant, (tx) =>
      tx.query<Record<string, unknown>>(
        `select state, lease_owner, failures, lost_leases, run_after > now() as waits from hypothesis.phases
         where cycle_id = $1`,
        [cycleId],
      ),
    )
    return rows[0]
  }

  describePeople('in Postgres', () => {
    const { store, cipher } = gateway.runtime
    const key = { tenantId: tenant, cycleId: newCycleId() }
    const phase: ClaimedPhase = {
      ...{ ...key, id: '1', token: '1', revision: 0, phase: 'freeze', final: false, input: {} },
      ...{ correlationId: 'c', causationId: null, traceparent: 't', failures: 0, lostLeases: 0 },
    }
    const people = createPostgresPeople(store, 'hypothesis', phase, createPostgresVault(store, key, cipher))
    let open: ArtefactId | null = null
    return Promise.resolve({
      ask: (question) =>
        people.answer(question).catch(async (thrown: unknown) => {
          if (!(thrown instanceof Suspended)) throw thrown
          const id = (open = hashOf(canonicalJson(question.proposal)))
          const asking = {
            id,
            service: 'hypothesis' as const,
            phase: 'freeze',
            revision: 0,
            what: question.proposal.what,
          }
          await store.withTenant(tenant, (tx) => insertQuestion(tx, key, { ...asking, terms: question.terms }))
          throw thrown
        }),
      say: (decision, body) =>
        store.withTenant(tenant, async (tx) => {
          if (!open) throw new Error('nothing is open')
          await decide(tx, key, open, { decision, by: 'alice' })
          await putInVault(tx, key, cipher, { name: answerName(open), body })
        }),
    })
  })

  it('holds nothing while it waits, outlives its service, and goes on with the answer', async () => {
    const [cycleId, seen] = [newCycleId(), [] as unknown[]]
    const service = await start(600_000, seen)
    const [requested, formed] = [event(cycleId, 'approval.requested'), event(cycleId, 'hypothesis.formed')]
    await emit(cycleId, 'measurement.finished')
    expect((await requested).data).toMatchObject({
      ...{ proposal: ID, service: 'hypothesis', phase: 'freeze', what: 'hypothesis', byDefault: 'reject' },
      expiresAt: expect.stringMatching(/Z$/) as string,
    })
    expect(await phaseOf(cycleId)).toEqual({
      ...{ state: 'queued', lease_owner: null, failures: 0, lost_leases: 0, waits: true },
    })
    await service.stop()
    expect(await approve(cycleId)).toBe(true)
    await start(600_000, seen)
    await formed
    expect(seen).toEqual([
      'begun',
      'begun',
      { decision: 'approve', by: 'alice', at: expect.any(String) as string, message: 'go on', document: null },
      expect.any(Number) as number,
    ])
    expect(seen.at(-1)).toBeGreaterThan(0)
  })

  it('goes on with the default when nobody answers, and tells so', async () => {
    const [cycleId, seen] = [newCycleId(), [] as unknown[]]
    await start(1000, seen)
    const [given, formed] = [event(cycleId, 'approval.given'), event(cycleId, 'hypothesis.formed')]
    await emit(cycleId, 'measurement.finished')
    expect((await given).data).toMatchObject({ proposal: ID, decision: 'reject', by: null })
    await formed
    expect(seen).toContainEqual(expect.objectContaining({ decision: 'reject', by: null, message: null }))
    expect(await approve(cycleId)).toBe(false)
  })

  it('decides once, and never for another tenant', async () => {
    const cycleId = newCycleId()
    await start(600_000)
    const requested = event(cycleId, 'approval.requested')
    await emit(cycleId, 'measurement.finished')
    await requested
    const { store } = gateway.runtime
    const other = tenantId.parse('other')
    const stolen = await store.withTenant(other, (tx) =>
      decide(tx, { tenantId: tenant, cycleId }, ID, { decision: 'approve', by: 'mallory' }),
    )
    expect(stolen).toBeNull()
    const both = await Promise.all([approve(cycleId, 'alice'), approve(cycleId, 'bob')])
    expect(both.toSorted()).toEqual([false, true])
    const second = store.withTenant(tenant, (tx) =>
      tx.query(`update shared.approvals set decision = 'reject' where cycle_id = $1`, [cycleId]),
    )
    await expect(second).rejects.toThrow(/is decided/)
  })

  it('is cancelled while it waits', async () => {
    const cycleId = newCycleId()
    await start(600_000)
    const requested = event(cycleId, 'approval.requested')
    await emit(cycleId, 'measurement.finished')
    await requested
    const [listening, cancelled] = [signal(), signal()]
    // It tells an empty word once it listens: what was said before that, it has not heard.
    const listener = gateway.runtime.store.listen('ordeal_hypothesis', (what) => {
      if (what === '') listening.resolve()
      if (what === 'cancel') cancelled.resolve()
    })
    await listening.promise
    await emit(cycleId, 'cycle.cancel-requested')
    await cancelled.promise
    await listener.close()
    expect(await phaseOf(cycleId)).toMatchObject({ state: 'cancelled' })
  })
})
