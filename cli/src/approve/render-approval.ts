import { type ApprovalView } from '@ordeal/gateway/contract'
import { type Screen } from '../terminal/terminal.js'
import { printable } from '../terminal/text.js'

/** One line of a diff, or of a document, as it is coloured. */
function painted(line: string, screen: Screen): string {
  if (line.startsWith('+')) return screen.style('green', line)
  if (line.startsWith('-')) return screen.style('red', line)
  if (line.startsWith('@@')) return screen.style('cyan', line)
  return line
}

/** What a proposal is about, for people. */
export function renderApproval({ what, title, text, problems }: ApprovalView, screen: Screen): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => painted(printable(line), screen))
  return [
    '',
    `${screen.style('bold', printable(title))} (${what})`,
    ...problems.map((problem) => screen.style('yellow', `! ${printable(problem)}`)),
    ...lines,
    '',
  ].join('\n')
}

/** How an open proposal of a cycle is answered where nobody can be asked. */
export function howToAnswer(
  cycle: string,
  { expiresAt, byDefault }: Pick<ApprovalView, 'expiresAt' | 'byDefault'>,
): string {
  const otherwise = byDefault === 'approve' ? 'approved' : 'rejected'
  return `It waits until ${expiresAt}, then it is ${otherwise}. Answer it with one of:\n${commandsFor(cycle)}`
}

/** Commands that answer what a cycle asks. */
export const commandsFor = (cycle: string): string =>
  [
    `  ordeal approve ${cycle} --decision approve`,
    `  ordeal approve ${cycle} --decision revise --message 'what is to be different'`,
    `  ordeal approve ${cycle} --decision replace --file FILE     (--json shows the form)`,
    `  ordeal approve ${cycle} --decision reject --message 'why'`,
    '',
  ].join('\n')
