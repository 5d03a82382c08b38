import { InputError, type AgentCall } from '@ordeal/shared'
import { EXIT, type ExitCode } from '../exit-code.js'
import { type Host } from '../host.js'
import { type Screen } from '../terminal/terminal.js'
import { printable } from '../terminal/text.js'
import { readCalls } from './recording.js'

/**
 * `ordeal explain`: what an agent was asked, what it answered, what was wrong with that, and what it cost; without an
 * agent, a line for each of them.
 */
export async function explain(dir: string, agent: string | null, { terminal }: Host): Promise<ExitCode> {
  const calls = await readCalls(dir)
  const chosen = agent === null ? calls : calls.filter((call) => call.name === agent)
  if (chosen.length === 0) {
    const names = [...new Set(calls.map((call) => call.name))].join(', ')
    throw new InputError(`no agent ${agent ?? ''} was asked`, dir, names && `These were: ${names}`)
  }
  const { out } = terminal
  for (const call of chosen) out.write(agent === null ? `${headOf(call)}\n` : whole(call, out))
  return EXIT.good
}

const WHO = {
  model: 'model',
  repaired: 'model, after repair',
  expert: 'rules',
  revised: 'model, after a person’s message',
  person: 'a person',
} as const

function headOf({ name, provenance, model, calls, inputTokens, outputTokens, costUsd, ms }: AgentCall): string {
  const asked = model === null ? '' : ` (${model}, ${calls} requests, ${inputTokens} + ${outputTokens} tokens`
  const price = costUsd > 0 ? `, $${costUsd.toFixed(4)}` : ''
  return printable(`${name}: ${WHO[provenance]}${asked && `${asked}${price}, ${ms} ms)`}`)
}

function whole(call: AgentCall, out: Screen): string {
  const title = (text: string): string => out.style('bold', `── ${text}`)
  const turns = call.messages.map(({ role, content }) => `${title(role)}\n${lines(content)}\n`)
  const errors = call.exchanges.flatMap(({ error }, i) => (error === null ? [] : [`request ${i + 1}: ${error}`]))
  return [
    `${out.style('bold', headOf(call))}\n`,
    ...turns,
    ...(errors.length > 0 ? [`${title('no answer')}\n${lines(errors.join('\n'))}\n`] : []),
    ...(call.why === null ? [] : [`${title('why the answer was not wholly used')}\n${lines(call.why)}\n`]),
    `${title('the cycle went on with')}\n${lines(JSON.stringify(call.answer, null, 2))}\n\n`,
  ].join('')
}

const lines = (text: string): string => text.split('\n').map(printable).join('\n')
