import { type ApprovalView } from '@ordeal/gateway/contract'
import { GatewayError } from '../errors.js'
import { type GatewayClient } from '../stack/gateway-client.js'
import { askPerson, type Person } from './ask-person.js'

/** The part of the gateway that answers go through. */
export type ApprovalClient = Pick<GatewayClient, 'approvals' | 'answer'>

/**
 * Asks a person about an open proposal and hands the answer in. One that cannot be used is asked for again, with what is
 * wrong with it; one that comes too late is told. Rejects with an AbortError when none is wanted any more.
 */
export async function answerOpen(
  client: ApprovalClient,
  cycle: string,
  approval: ApprovalView,
  person: Person,
): Promise<void> {
  for (;;) {
    const answer = await askPerson(approval, person)
    try {
      await client.answer(cycle, approval.proposal, answer)
      return
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      person.screen.write(`${person.screen.style('red', error.message)}\n`)
      // What is wrong with an answer can be mended; that it comes too late, or is not allowed, cannot.
      if (error.status !== 400 && error.status !== 422) return
    }
  }
}
