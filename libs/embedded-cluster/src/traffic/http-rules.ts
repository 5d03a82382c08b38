/** What a fault does to HTTP requests that reach a pod's port, or to the answers that leave it. */
export interface HttpRule {
  /** Name of the fault, by which the rule is taken away again. */
  readonly source: string
  readonly target: 'Request' | 'Response'
  readonly port: number
  /** Which requests: by path (with `*` and `?`), method and, for answers, status; null means any. */
  readonly path: string | null
  readonly method: string | null
  readonly code: number | null
  readonly abort: boolean
  readonly delayMs: number
  readonly replacePath: string | null
  readonly replaceCode: number | null
}

/** What happens to one request or answer: all rules that match it, one after another. */
export interface HttpVerdict {
  readonly abort: boolean
  readonly delayMs: number
  readonly path: string
  readonly status: number
}

export interface HttpMoment {
  readonly target: HttpRule['target']
  readonly port: number
  readonly path: string
  /** Of an answer; 0 for a request. */
  readonly status: number
}

/** Every modelled request is a GET. */
const METHOD = 'GET'

export function httpVerdict(rules: readonly HttpRule[], moment: HttpMoment): HttpVerdict {
  let verdict: HttpVerdict = { abort: false, delayMs: 0, path: moment.path, status: moment.status }
  for (const rule of rules) {
    if (!concerns(rule, moment)) continue
    verdict = {
      abort: verdict.abort || rule.abort,
      delayMs: verdict.delayMs + rule.delayMs,
      path: rule.replacePath ?? verdict.path,
      status: rule.replaceCode ?? verdict.status,
    }
  }
  return verdict
}

function concerns(rule: HttpRule, { target, port, path, status }: HttpMoment): boolean {
  if (rule.target !== target || rule.port !== port) return false
  if (rule.method !== null && rule.method.toUpperCase() !== METHOD) return false
  if (target === 'Response' && rule.code !== null && rule.code !== status) return false
  return rule.path === null || matchesPath(rule.path, path)
}

/** `*` for any text, `?` for one character. */
function matchesPath(pattern: string, path: string): boolean {
  const parts = [...pattern].map((character) => {
    if (character === '*') return '.*'
    return character === '?' ? '.' : character.replace(/[.+^${}()|[\]\\]/, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`).test(path)
}
