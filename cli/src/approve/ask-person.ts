import { type AnswerProposal, type ApprovalView } from '@ordeal/gateway/contract'
import { type Decision } from '@ordeal/shared'
import { stringify } from 'yaml'
import { UsageError } from '../errors.js'
import { type Terminal } from '../terminal/terminal.js'
import { readDocument } from './read-document.js'
import { renderApproval } from './render-approval.js'

/** Somebody at a terminal. */
export interface Person {
  readonly ask: NonNullable<Terminal['ask']>
  readonly screen: Terminal['err']
  /** Aborts when no answer is wanted any more. */
  readonly signal: AbortSignal
}

const KEYS: Readonly<Record<Decision, string>> = {
  approve: '[a]pprove',
  revise: '[r]evise with a message',
  replace: 're[p]lace with a file',
  reject: 're[j]ect',
}
const DECISIONS: Readonly<Record<string, Decision>> = { a: 'approve', r: 'revise', p: 'replace', j: 'reject' }

/** Shows a proposal and asks until there is an answer. Rejects with an AbortError when none is wanted any more. */
export async function askPerson(approval: ApprovalView, person: Person): Promise<AnswerProposal> {
  const { ask, screen, signal } = person
  screen.write(renderApproval(approval, screen))
  const choices = [...approval.decisions.map((decision) => KEYS[decision]), '[s]how it as a file to edit'].join(', ')
  for (;;) {
    const said = (await ask(`${choices}? `, signal)).trim().toLowerCase()
    if (said === 's') screen.write(`${stringify(approval.document)}\n`)
    const decision = DECISIONS[said] ?? approval.decisions.find((known) => known === said)
    if (!decision || !approval.decisions.includes(decision)) continue
    const answer = await wordsFor(decision, person)
    if (answer) return answer
  }
}

/** The rest of an answer; null where there is none to be had. */
async function wordsFor(decision: Decision, { ask, screen, signal }: Person): Promise<AnswerProposal | null> {
  if (decision === 'approve') return { decision }
  if (decision === 'replace') {
    try {
      return { decision, document: await readDocument((await ask('File (JSON or YAML): ', signal)).trim()) }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      screen.write(`${error.message}\n`)
      return null
    }
  }
  const message = (
    await ask(decision === 'revise' ? 'What is to be different? ' : 'Why? (may be empty) ', signal)
  ).trim()
  if (decision === 'revise' && !message) return null
  return message ? { decision, message } : { decision }
}
