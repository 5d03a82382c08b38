import { answerWordsSchema, type Answer } from '../artefacts/approval.js'
import { Suspended } from '../errors.js'
import { type ServiceName } from '../events/catalogue.js'
import { type ArtefactId } from '../ids.js'
import { emitEvents, lockCycle, wakeOthers } from '../messaging/decision.js'
import { type ClaimedPhase } from '../phases/claim-phases.js'
import { type EventDraft, type People, type Vault } from '../service/definition.js'
import { canonicalJson, hashOf } from '../store/canonical-json.js'
import { type Store } from '../store/store.js'
import { decideByDefault, selectStanding, selectWaitedMs, type Decided, type Standing } from './approvals.sql.js'

/** Name in the cycle's vault of what a person said with a decision. */
export const answerName = (proposal: ArtefactId): string => `approval/${proposal}`

/** The event that tells of a decision and resumes the phase that waits for it. */
export const givenDraft = (
  proposal: ArtefactId,
  { revision, service, phase, what, decision }: Decided,
  by: string | null,
): EventDraft => ({ type: 'approval.given', revision, data: { proposal, service, phase, what, decision, by } })

const NOTHING_SAID: Pick<Answer, 'message' | 'document'> = { message: null, document: null }

/** The people of one cycle, asked by a phase that this process holds. */
export function createPostgresPeople(store: Store, service: ServiceName, phase: ClaimedPhase, vault: Vault): People {
  const { tenantId, cycleId, correlationId, causationId, traceparent } = phase
  const standingOf = (id: ArtefactId): Promise<Standing | null> =>
    store.withTenant(tenantId, (tx) => selectStanding(tx, phase, id))
  // The deadline is a decision like any other, and people who watch hear of it.
  const expire = (id: ArtefactId): Promise<void> =>
    store.withTenant(tenantId, async (tx) => {
      const place = { tx, schema: service, origin: { tenantId, cycleId, correlationId, causationId, traceparent } }
      const { events } = await lockCycle(place, { events: 1, close: false })
      const decided = await decideByDefault(tx, phase, id)
      if (!decided) return
      await emitEvents(place, [givenDraft(id, decided, null)], events)
      await wakeOthers(place, ['outbox'])
    })
  // Somebody's answer may have come while time ran out: whoever was first has decided.
  const decided = async (id: ArtefactId): Promise<Standing | null> => {
    const standing = await standingOf(id)
    if (!standing?.expired || standing.decision !== null) return standing
    await expire(id)
    return standingOf(id)
  }
  return {
    answer: async (question) => {
      const id = hashOf(canonicalJson(question.proposal))
      const { decision = null, by = null, at = null } = (await decided(id)) ?? {}
      if (decision === null || at === null) throw new Suspended([question])
      const said = by === null ? NOTHING_SAID : await vault.get(answerName(id), answerWordsSchema)
      return { decision, by, at: at.toISOString(), ...said }
    },
    waitedMs: () => store.withTenant(tenantId, (tx) => selectWaitedMs(tx, phase)),
  }
}
