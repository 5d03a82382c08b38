import { type AnswerProposal, type ApprovalView } from '@ordeal/gateway/contract'
import { type Decision } from '@ordeal/shared'
import { UsageError } from '../errors.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { type Host } from '../host.js'
import { listenForInterrupts } from '../interrupts.js'
import { GatewayClient } from '../stack/gateway-client.js'
import { readRunState, readState } from '../stack/state-file.js'
import { answerOpen } from './answer-open.js'
import { readDocument } from './read-document.js'
import { howToAnswer, renderApproval } from './render-approval.js'

export interface ApproveArguments {
  readonly decision?: Decision
  readonly message?: string
  readonly file?: string
  /** Which proposal, where several are open. */
  readonly proposal?: string
  readonly json?: boolean
}

/**
 * `ordeal approve`: answers what a cycle asks, of `ordeal up` or of an `ordeal run` elsewhere. Without a decision it asks at
 * the terminal; where nobody can be asked, or with --json, it shows what is open.
 */
export async function approve(cycle: string, args: ApproveArguments, host: Host): Promise<ExitCode> {
  const client = await clientFor(cycle, host)
  const open = await openApprovals(client, cycle, args.proposal)
  const { out, err, ask } = host.terminal
  if (args.decision) {
    const one = onlyOne(open, cycle)
    const { answer } = await client.answer(cycle, one.proposal, await answerOf(args.decision, args))
    out.write(`${one.what}: ${answer?.decision ?? args.decision}\n`)
  } else if (args.json) {
    out.write(`${JSON.stringify({ approvals: open }, null, 2)}\n`)
  } else if (ask) {
    const interrupts = listenForInterrupts(err)
    try {
      for (const each of open) await answerOpen(client, cycle, each, { ask, screen: err, signal: interrupts.signal })
    } catch (error) {
      if (!interrupts.signal.aborted) throw error
      return EXIT.cancelled
    } finally {
      interrupts.release()
    }
  } else for (const each of open) out.write(`${renderApproval(each, out)}${howToAnswer(cycle, each)}`)
  return EXIT.good
}

async function clientFor(cycle: string, { config }: Host): Promise<GatewayClient> {
  const address = (await readRunState(config.stateDir, cycle)) ?? (await readState(config.stateDir))
  if (address) return new GatewayClient(address)
  throw new UsageError(`no services of this user run that could know cycle ${cycle}`, 'Is `ordeal up` still there?')
}

async function openApprovals(client: GatewayClient, cycle: string, wanted?: string): Promise<ApprovalView[]> {
  const open = (await client.approvals(cycle)).filter(({ state }) => state === 'open')
  const chosen = wanted === undefined ? open : open.filter(({ proposal }) => proposal === wanted)
  if (chosen.length > 0) return chosen
  throw new UsageError(`cycle ${cycle} waits for no answer${wanted === undefined ? '' : ' about that proposal'}`)
}

function onlyOne([first, ...more]: readonly ApprovalView[], cycle: string): ApprovalView {
  if (first && more.length === 0) return first
  const names = [first, ...more].map((each) => each && `${each.what}: ${each.proposal}`).join('\n  ')
  throw new UsageError(`cycle ${cycle} asks about several things`, `Name one with --proposal:\n  ${names}`)
}

async function answerOf(decision: Decision, { message, file }: ApproveArguments): Promise<AnswerProposal> {
  if (decision === 'revise' && !message) {
    throw new UsageError('--decision revise needs --message', 'Say what is to be different')
  }
  if ((decision === 'replace') !== (file !== undefined)) {
    throw new UsageError('--file goes with --decision replace, and the other way round')
  }
  return {
    decision,
    ...(message === undefined ? {} : { message }),
    ...(file === undefined ? {} : { document: await readDocument(file) }),
  }
}
