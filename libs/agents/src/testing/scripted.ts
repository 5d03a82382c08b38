import { type ChatRequest, type Reply } from './model-server.js'

/** Answers by agent: for its first call, its second, …; the last one goes on. A function sees the request. */
export type Script = Readonly<Record<string, readonly unknown[]>>

/** A model that says what it was told to, agent by agent and call by call; it has no word for agents without a line. */
export function scripted(script: Script): (request: ChatRequest) => Reply {
  const calls = new Map<string, number>()
  return (request) => {
    const agent = request.agent ?? ''
    const lines = script[agent]
    if (!lines?.length) return { status: 404, message: `the script has no line for agent ${agent}` }
    const call = calls.get(agent) ?? 0
    calls.set(agent, call + 1)
    const line = lines[Math.min(call, lines.length - 1)]
    const said = typeof line === 'function' ? (line as (r: ChatRequest) => unknown)(request) : line
    return { say: typeof said === 'string' ? said : JSON.stringify(said) }
  }
}

/**
 * A small model's manner: no JSON Schema, no JSON mode, no seed; its first answer is wrapped in talk and a fence, with a
 * trailing comma and single quotes.
 */
export function naive(script: Script): (request: ChatRequest) => Reply {
  const answer = scripted(script)
  return (request) => {
    if (request.response_format) return { status: 400, message: "Unsupported parameter: 'response_format'" }
    if ('seed' in request) return { status: 400, message: 'Unrecognized request argument supplied: seed' }
    const agent =
      Object.keys(script).find((name) => request.messages[0]?.content.includes(`question "${name}"`)) ?? null
    const reply = answer({ ...request, agent })
    if (!('say' in reply)) return reply
    return {
      say: `Okay, let's see.\n\`\`\`json\n${reply.say.replace(/}$/, ',}')}\n\`\`\`\nHope this helps!`,
      usage: false,
    }
  }
}
