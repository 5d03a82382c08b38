import { answerWordsSchema, artefactId, canonicalJson, cycleId, type CycleKey, type Tx } from '@ordeal/shared'
import { answerName, createPostgresVault, decide, givenDraft, putInVault } from '@ordeal/shared/runtime'
import { type AnswerProposal, type ApprovalView } from '../api/contract.js'
import { type Principal } from '../api/principal.js'
import { ProblemError } from '../api/problems.js'
import { selectApprovals } from '../db/select-approvals.sql.js'
import { type GatewayPorts } from '../ports.js'
import { requireCycle } from '../read-cycles/require-cycle.js'
import { requireForm } from './require-form.js'

/** Which proposal of which cycle. */
export interface ProposalPlace {
  readonly id: string
  readonly proposal: string
}

/**
 * Answers a proposal, in one transaction: the decision, the words that came with it (sealed: nobody knows yet whether
 * they hold credentials), and the event that resumes the cycle. Throws ProblemError `not-found`, `decided` for another
 * answer than the one that was given, `too-late`, or `unusable` for a replacement that is not of the form asked for.
 */
export async function answerProposal(
  ports: GatewayPorts,
  who: Principal,
  place: ProposalPlace,
  answer: AnswerProposal,
): Promise<ApprovalView> {
  const { tenantId, keyId } = who
  const id = artefactId.safeParse(place.proposal).data
  await ports.store.withTenant(tenantId, (tx) => requireCycle(tx, place.id))
  const key: CycleKey = { tenantId, cycleId: cycleId.parse(place.id) }
  const { view, isOurs } = await ports.store.withTenant(tenantId, async (tx) => {
    const known = await requireApproval(tx, place)
    if (!id || known.state === 'decided') return { view: known, isOurs: false }
    requireOpen(known)
    requireAnswer(known, answer)
    const decided = await decide(tx, key, id, { decision: answer.decision, by: keyId })
    // Somebody else's answer, or the end of the time, came between.
    if (!decided) return { view: await requireApproval(tx, place), isOurs: false }
    await putInVault(tx, key, ports.cipher, { name: answerName(id), body: wordsOf(answer) })
    await ports.emit(tx, key, [givenDraft(id, decided, keyId)])
    return { view: await requireApproval(tx, place), isOurs: true }
  })
  if (!isOurs) return sameAgain(ports, key, view, answer)
  ports.logOf(key).info('a proposal was answered', { by: keyId, proposal: place.proposal, decision: answer.decision })
  return view
}

const wordsOf = ({ message, document }: AnswerProposal) => ({ message: message ?? null, document: document ?? null })

async function requireApproval(tx: Tx, { id, proposal }: ProposalPlace): Promise<ApprovalView> {
  const [view] = await selectApprovals(tx, id, proposal)
  if (!view) throw new ProblemError('not-found', `Cycle ${id} has no such proposal`)
  return view
}

async function sameAgain(
  { store, cipher }: GatewayPorts,
  key: CycleKey,
  known: ApprovalView,
  answer: AnswerProposal,
): Promise<ApprovalView> {
  requireOpen(known)
  const { decision, by } = known.answer ?? {}
  if (by === null)
    throw new ProblemError('too-late', `Nobody had answered by ${known.expiresAt}: ${decision} by default`)
  const name = answerName(artefactId.parse(known.proposal))
  const said = await createPostgresVault(store, key, cipher).get(name, answerWordsSchema)
  if (decision === answer.decision && canonicalJson(said) === canonicalJson(wordsOf(answer))) return known
  throw new ProblemError('decided', `${by} gave another answer: ${decision}`)
}

function requireOpen({ state, expiresAt }: ApprovalView): void {
  if (state === 'over') throw new ProblemError('too-late', 'The cycle has ended, or is being cancelled')
  if (state === 'expired') throw new ProblemError('too-late', `It could be answered until ${expiresAt}`)
}

function requireAnswer({ decisions, form }: ApprovalView, { decision, message, document }: AnswerProposal): void {
  if (!decisions.includes(decision)) {
    throw unusable('/decision', `this was asked often enough; only ${decisions.join(' or ')} is left`)
  }
  if (decision === 'revise' && !message?.trim()) throw unusable('/message', 'say what is to be different')
  if (decision === 'replace') requireForm(form, document)
}

const unusable = (pointer: string, detail: string): ProblemError =>
  new ProblemError('unusable', `${pointer}: ${detail}`, [{ pointer, detail }])
