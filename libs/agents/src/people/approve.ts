import {
  APPROVAL_ROUNDS,
  approvalSchema,
  canonicalJson,
  cycleOptionsSchema,
  formatDuration,
  hashOf,
  proposalSchema,
  RECORDED_APPROVALS,
  required,
  TerminalError,
  type Answer,
  type Approvable,
  type CycleOptions,
  type Decision,
  type PhaseContext,
  type Proposal,
} from '@ordeal/shared'
import { z } from 'zod'
import { inVault, redactorOf } from '../ask/models.js'
import { maskTexts } from './written.js'

/** What people see of a value. `document` is it in the form of a replacement; null where it has none. */
export type Shown = Pick<Proposal, 'title' | 'text'> & { readonly document: unknown }

/** What an answer makes of a value; with problems where it could not be followed, or not wholly. */
export interface Next<T> {
  readonly value: T
  readonly problems: readonly string[]
}

/** Something that people can be asked to approve. */
export interface Subject<T> {
  readonly what: Approvable
  /** Names its steps: unique in the phase. */
  readonly name: string
  /** The revision that it is about. */
  readonly revision: number
  readonly value: z.ZodType<T>
  /** Shape of a replacement. What it cannot say, `replaced` tells. */
  readonly form: Record<string, unknown>
  /** `before` is what was shown in the round before; null in the first. */
  show(value: T, before: T | null): Shown | Promise<Shown>
  replaced(document: unknown, value: T): Promise<Next<T>>
  /** `round` is that of the answer. */
  revised(message: string, value: T, round: number): Promise<Next<T>>
}

/** A value that may be gone on with, and what people did to it; null when they took it as it was, or were not asked. */
export interface Approved<T> {
  readonly value: T
  readonly by: 'person' | 'revised' | null
}

/** Thrown when people do not want what was proposed; `silent` when nobody answered in time. */
export class NotApprovedError extends TerminalError {
  constructor(
    readonly why: string,
    readonly silent: boolean,
  ) {
    super('not-approved', why)
  }
}

/**
 * Asks people about a value before the cycle goes on with it, where the cycle's options say so: as often as they revise
 * or replace it, within bounds. Suspends the phase (throws Suspended) while they think. Throws NotApprovedError.
 */
export async function approved<T>(first: T, subject: Subject<T>, context: PhaseContext): Promise<Approved<T>> {
  const options = required(await context.artefacts.latest('options', cycleOptionsSchema), 'options')
  if (!options.approve.includes(subject.what)) return { value: first, by: null }
  const asking = { subject, context, options, redact: await redactorOf(context) }
  let [before, now, by]: [T | null, Next<T>, Approved<T>['by']] = [null, { value: first, problems: [] }, null]
  for (let round = 1; ; round++) {
    const proposal = await proposed(asking, round, before, now)
    const answer = await answered(asking, proposal)
    if (answer.decision === 'reject') throw notApproved(answer, subject, options)
    if (answer.decision === 'approve') return { value: now.value, by }
    before = now.value
    now = await followed(asking, round, answer, now.value)
    if (now.value !== before) by = answer.decision === 'replace' ? 'person' : 'revised'
  }
}

interface Asking<T> {
  readonly subject: Subject<T>
  readonly context: PhaseContext
  readonly options: CycleOptions
  readonly redact: (text: string) => string
}

const LAST: readonly Decision[] = ['approve', 'reject']
const ALL: readonly Decision[] = ['approve', 'revise', 'replace', 'reject']

/** A step, so that what people are shown is what an attempt after theirs goes on with. */
function proposed<T>(
  { subject, context, redact }: Asking<T>,
  round: number,
  before: T | null,
  { value, problems }: Next<T>,
): Promise<Proposal> {
  const { what, name, revision, form } = subject
  return context.step(`${name}.proposal-${round}`, proposalSchema, async () => {
    const { title, text, document } = await subject.show(value, before)
    const said = { title, text, document: plain(document), problems: [...problems] }
    const decisions = [...(round < APPROVAL_ROUNDS ? ALL : LAST)]
    return {
      what,
      revision,
      round,
      ...maskTexts(said, redact),
      form: z.record(z.string(), z.json()).parse(form),
      decisions,
    }
  })
}

const plain = (document: unknown): z.infer<typeof approvalSchema>['document'] =>
  z.json().parse(JSON.parse(JSON.stringify(document ?? null)))

/** The answer: of the recording in a replay, else of people. It is kept as an artefact, without credentials. */
async function answered<T>({ context, options, redact }: Asking<T>, proposal: Proposal): Promise<Answer> {
  const { what, revision, round } = proposal
  const id = hashOf(canonicalJson(proposal))
  const recorded = (await inVault(context, RECORDED_APPROVALS, z.array(approvalSchema))) ?? []
  const alike = recorded.filter((each) => each.what === what && each.revision === revision && each.round === round)
  const known = alike.find((each) => each.proposal === id)
  if (!known && alike.length > 0) throw diverged(what)
  // What people are asked is kept with the question; what a recording answers is kept here.
  if (known) await context.artefacts.put('proposal', proposal, { name: what, revision })
  const terms = { timeoutMs: options.approveTimeoutMs, byDefault: options.approveDefault }
  const answer = known ?? (await context.people.answer({ proposal, terms }))
  const { decision, by, at, message, document } = answer
  const approval = { what, revision, round, proposal: id, decision, by, at, message, document }
  await context.artefacts.put('approval', maskTexts(approval, redact), { name: what, revision })
  return answer
}

const diverged = (what: Approvable): TerminalError =>
  new TerminalError(
    'replay-diverged',
    `The proposal (${what}) is not the one that was decided on: the input, the options or the version of Ordeal differ`,
  )

/** Time that people understand: whole minutes where it is some. */
const spanOf = (ms: number): string => (ms % 60_000 === 0 ? `${ms / 60_000} min` : formatDuration(ms))

function notApproved<T>({ by, message }: Answer, { what }: Subject<T>, options: CycleOptions): NotApprovedError {
  if (by === null) {
    return new NotApprovedError(
      `Nobody answered within ${spanOf(options.approveTimeoutMs)} whether to go on (${what})`,
      true,
    )
  }
  return new NotApprovedError(`A person (${by}) said no to the ${what}${message ? `: ${message}` : ''}`, false)
}

/** Answers that change nothing give the same value again, which `approved` tells by identity. */
async function followed<T>(
  { subject, context }: Asking<T>,
  round: number,
  { decision, message, document }: Answer,
  value: T,
): Promise<Next<T>> {
  const changed = z.object({ value: subject.value.nullable(), problems: z.array(z.string()) })
  const next = await context.step(`${subject.name}.answer-${round}`, changed, async () => {
    const made =
      decision === 'replace'
        ? await subject.replaced(document, value)
        : await subject.revised(message ?? '', value, round)
    return { value: made.value === value ? null : made.value, problems: [...made.problems] }
  })
  return { value: next.value ?? value, problems: next.problems }
}
