import { type ApprovalView, type CycleEvent } from '@ordeal/gateway/contract'
import { answerOpen, type ApprovalClient } from '../approve/answer-open.js'
import { commandsFor, howToAnswer, renderApproval } from '../approve/render-approval.js'
import { type Terminal } from '../terminal/terminal.js'
import { coerceError } from '@ordeal/shared'
import { type ProgressView } from './progress-view.js'

/** A cycle whose proposals are shown while it is followed. */
export interface Asked {
  readonly client: ApprovalClient
  readonly cycle: string
  readonly view: ProgressView
  readonly terminal: Pick<Terminal, 'ask' | 'err'>
  /** One line of JSON for each question, instead of text for people. */
  readonly json: boolean
}

/** Shows what a cycle asks, and asks whoever sits at the terminal: one question at a time. */
export class ApprovalDesk {
  readonly #closing = new AbortController()
  readonly #open = new Map<unknown, AbortController>()
  #last = Promise.resolve()

  constructor(private readonly asked: Asked) {}

  /** Takes an event into account: a question is shown, and taken back when it is answered elsewhere. */
  see(event: CycleEvent): void {
    const { proposal } = event.data
    if (event.type === 'approval.given') this.#open.get(proposal)?.abort()
    if (event.type !== 'approval.requested') return
    const gone = new AbortController()
    this.#open.set(proposal, gone)
    const signal = AbortSignal.any([gone.signal, this.#closing.signal])
    this.#last = this.#last.then(() => this.#handle(event, signal))
  }

  /** Takes every question back. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#last
  }

  async #handle(event: CycleEvent, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const { client, cycle, view, terminal } = this.asked
    const release = view.hold()
    try {
      const approval = (await client.approvals(cycle)).find(({ proposal }) => proposal === event.data.proposal)
      if (approval?.state === 'open') await this.#put(approval, signal)
    } catch (error) {
      // Answered elsewhere, or the end of the cycle, is no news. After anything else the cycle still waits.
      const problem = signal.aborted ? '' : `${coerceError(error).message}\n${commandsFor(cycle)}`
      if (problem || terminal.ask) terminal.err.write(`${problem}\n`)
    } finally {
      release()
    }
  }

  async #put(approval: ApprovalView, signal: AbortSignal): Promise<void> {
    const { client, cycle, terminal, json } = this.asked
    const { ask, err: screen } = terminal
    // The form of a replacement is long; `ordeal approve --json` shows it.
    const { form: _, ...told } = approval
    if (json) screen.write(`${JSON.stringify({ event: 'approval.requested', cycle, ...told })}\n`)
    if (ask) await answerOpen(client, cycle, approval, { ask, screen, signal })
    else if (!json) screen.write(`${renderApproval(approval, screen)}${howToAnswer(cycle, approval)}`)
  }
}
