import { type ExpectationsPatch } from '@ordeal/shared'

/** What a rule makes of a sentence; null when it has nothing to say. `names` are those of the application's workloads. */
type Reading = (sentence: string, names: readonly string[]) => ExpectationsPatch | null

/** A phrase that the rules understand: documented by its example. */
export interface Phrase {
  readonly says: string
  readonly example: string
  readonly read: Reading
}

const COUNTS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5, both: 2 }
const SECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const DURATION = String.raw`(\d+(?:\.\d+)?)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h)\b`
const FATE =
  /\b(dies?|kill(?:s|ed)?|los[est]s?|fails?|crash(?:es)?|terminated|deleted|go(?:es)? (?:away|down)|disappears?|evicted)\b/i
const LATE = /\b(late|later|slow(?:er|ly|ness)?|delay(?:ed|s)?|latency)\b/i

function durationOf(text: string, pattern: string): number | null {
  const match = new RegExp(pattern.replaceAll('<time>', DURATION), 'i').exec(text)
  const [number, unit] = [match?.at(-2), match?.at(-1)]
  if (number === undefined || unit === undefined) return null
  const short = /^(ms|milli)/i.test(unit) ? 'ms' : unit.charAt(0).toLowerCase()
  return Number(number) * (SECONDS[short] ?? 1000)
}

const named = (sentence: string, names: readonly string[]): string[] =>
  names.filter((name) => new RegExp(String.raw`(?<![\w.-])${escaped(name)}(?![\w-])`, 'i').test(sentence))
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** `workloads` only where the sentence names some. */
const only = (sentence: string, names: readonly string[]): { workloads?: string[] } => {
  const found = named(sentence, names)
  return found.length > 0 ? { workloads: found } : {}
}

/** Which pods a sentence is about; one where it does not say. */
function podsOf(sentence: string): 'one' | 'all' | 'node' | number {
  if (/\bnodes?\b/i.test(sentence)) return 'node'
  if (/\b(?:all|every)\b[^.]*\bpods?\b|\bpods?\b[^.]*\ball\b/i.test(sentence)) return 'all'
  const count = /\b(\d+|two|three|four|five)\s+(?:[\w-]+\s+)?pods\b/i.exec(sentence)?.[1]
  if (count === undefined) return 'one'
  return COUNTS[count.toLowerCase()] ?? Number(count)
}

const DUTY = String.raw`\b(?:must|should|shall|ha(?:s|ve) to|needs? to)\b`
const DUTY_LAST = new RegExp(String.raw`,\s+(?=[^,]*${DUTY})`, 'i')
const DUTY_FIRST = new RegExp(
  String.raw`${DUTY}.*?\b(?:when|if|while|although|surviv\w+|tolerat\w+|withstands?|stands?|copes? with)\b(.*)$`,
  'i',
)

/** Reads of a sentence only what happens, not what must hold then: who must go on working is not who is hit. */
const ofWhatHappens =
  (read: Reading): Reading =>
  (sentence, names) => {
    const [before = sentence] = sentence.split(DUTY_LAST)
    return read(before === sentence ? (DUTY_FIRST.exec(sentence)?.[1] ?? sentence) : before, names)
  }

const TOGETHER = /\b(two|three|four|five|\d)\s+(?:different\s+)?(?:workloads|services|components|deployments)\b/i
const AT_ONCE = /\b(same (?:moment|time)|at once|together|simultaneously)\b/i

const SPARING =
  /\b(?:never|must not|do not|don't)\b[^.]*\b(?:hit|kill(?:ed)?|touch(?:ed)?|disturb(?:ed)?)\b|\bleave\b[^.]*\balone\b/i

/** How many workloads a sentence means that speaks of several: it says how many, or names them. */
function togetherIn(sentence: string, names: readonly string[]): number {
  const count = TOGETHER.exec(sentence)?.[1]?.toLowerCase()
  if (count !== undefined) return COUNTS[count] ?? Number(count)
  return Math.max(1, named(sentence, names).length)
}

const loss = ofWhatHappens((sentence, names) => {
  if (!FATE.test(sentence) || !/\b(pods?|nodes?|replicas?|workloads?)\b/i.test(sentence)) return null
  if (SPARING.test(sentence)) return null
  const together = AT_ONCE.test(sentence) ? togetherIn(sentence, names) : 1
  // "One pod of each of two workloads": the count is of workloads.
  const pods = /\bone pod of each\b/i.test(sentence) ? 'one' : podsOf(sentence)
  return { failureModel: { event: 'loss', pods, together, ...only(sentence, names) } }
})

const slowness = ofWhatHappens((sentence, names) => {
  const latencyMs =
    durationOf(sentence, String.raw`<time>\s+(?:late|later|slow|slower)\b`) ??
    durationOf(sentence, String.raw`(?:delay(?:ed)?|latency|slow(?:ed)?(?: down)?)\b[^.]*?\s(?:of|by)\s+<time>`)
  if (latencyMs === null || !LATE.test(sentence)) return null
  const durationMs = durationOf(sentence, String.raw`\bfor\s+<time>`)
  // A workload that is late as a whole is late in all its pods.
  const pods = /\b(?:pod|node|replica)s?\b/i.test(sentence) ? podsOf(sentence) : 'all'
  const event = { event: 'slowness' as const, pods, latencyMs, ...only(sentence, names) }
  return { failureModel: { ...event, ...(durationMs === null ? {} : { durationMs }) } }
})

const isolation = ofWhatHappens((sentence, names) =>
  /\b(partition(?:ed)?|isolated|cut off|unreachable)\b/i.test(sentence)
    ? { failureModel: { event: 'isolation', pods: podsOf(sentence), ...duration(sentence), ...only(sentence, names) } }
    : null,
)

const pressure = ofWhatHappens((sentence, names) =>
  /\b(cpu|processor)\b[^.]*\b(pressure|stress(?:ed)?|load|starv\w+|busy)\b|\bbusy neighbou?rs?\b/i.test(sentence)
    ? { failureModel: { event: 'pressure', pods: podsOf(sentence), ...duration(sentence), ...only(sentence, names) } }
    : null,
)

function duration(sentence: string): { durationMs?: number } {
  const durationMs = durationOf(sentence, String.raw`\bfor\s+<time>`)
  return durationMs === null ? {} : { durationMs }
}

const normal: Reading = (sentence) => {
  const normalAfterMs =
    durationOf(
      sentence,
      String.raw`\b(?:normal|recover(?:ed|s)?|healthy|back)\b[^.]*?\b(?:within|after|in)\s+<time>`,
    ) ?? durationOf(sentence, String.raw`\bwithin\s+<time>(?=[^.]*\b(?:normal|recover(?:ed|s)?|healthy|back)\b)`)
  return normalAfterMs === null ? null : { tolerances: { normalAfterMs } }
}

const outage: Reading = (sentence) => {
  const maxOutageMs =
    durationOf(
      sentence,
      String.raw`\b(?:errors?|outage|downtime|unavailable|down)\b[^.]*?\b(?:more than|over|longer than|above|at most|up to)\s+<time>`,
    ) ??
    durationOf(
      sentence,
      String.raw`\b(?:at most|up to|no more than)\s+<time>\s+(?:of\s+)?(?:errors?|outage|downtime)\b`,
    )
  return maxOutageMs === null ? null : { tolerances: { maxOutageMs } }
}

const success: Reading = (sentence) => {
  const good = /(\d+(?:\.\d+)?)\s*%[^.]*\b(?:succeed|success(?:ful)?|good|answered|available|availability)\b/i.exec(
    sentence,
  )
  if (good) return { tolerances: { minShare: Number(good[1]) / 100 } }
  const available = /\b(?:success rate|availability)\b[^.]*?(\d+(?:\.\d+)?)\s*%/i.exec(sentence)
  if (available) return { tolerances: { minShare: Number(available[1]) / 100 } }
  const bad =
    /\b(?:error rate|errors|failures)\b[^.]*?\b(?:below|under|at most|less than|up to)\s+(\d+(?:\.\d+)?)\s*%/i.exec(
      sentence,
    ) ?? /\b(?:at most|up to|no more than)\s+(\d+(?:\.\d+)?)\s*%[^.]*\b(?:errors?|fail(?:ures?)?)\b/i.exec(sentence)
  return bad ? { tolerances: { minShare: round(1 - Number(bad[1]) / 100) } } : null
}
const round = (value: number): number => Math.round(value * 1e6) / 1e6

const rate: Reading = (sentence) => {
  const found = /(\d+(?:\.\d+)?)\s*(?:requests?\s*(?:\/|per|a)\s*s(?:ec(?:ond)?)?|rps|req\/s)\b/i.exec(sentence)
  return found ? { traffic: { requestsPerSecond: Number(found[1]) } } : null
}

const spared: Reading = (sentence, names) => {
  const found = named(sentence, names)
  return SPARING.test(sentence) && found.length > 0 ? { failureModel: { spared: found } } : null
}

const path: Reading = (sentence, names) => {
  const found = /\b(?:GET|path|visit|request)\s+(\/[\w./-]*)/i.exec(sentence)?.[1]
  const [service] = named(sentence, names)
  return found && service ? { traffic: { paths: { [service]: found } } } : null
}

/** What the rules understand of instructions in words; all that fit a sentence apply. The rest is for models. */
export const PHRASES: readonly Phrase[] = [
  { says: 'which pods are lost', example: 'When any single pod dies, …', read: loss },
  { says: 'which pods are lost', example: 'All pods of any one node may be killed at once.', read: loss },
  {
    says: 'how many workloads are hit at once',
    example: 'One pod of each of two different workloads may die at the same moment.',
    read: loss,
  },
  { says: 'which pods answer late', example: 'All search pods answer 1.5 s late for 20 s.', read: slowness },
  { says: 'which pods are cut off', example: 'One cache pod is isolated for 30 s.', read: isolation },
  { says: 'which pods are pressed for CPU', example: 'All web pods are under CPU pressure for 40 s.', read: pressure },
  { says: 'what must not be hit', example: 'Never kill the ledger-db pods.', read: spared },
  { says: 'when all is normal again', example: 'It must be back to normal within 5 s.', read: normal },
  { says: 'the longest outage', example: 'Visitors must not see errors for more than 5 s.', read: outage },
  { says: 'the share of good answers', example: 'At least 99 % of requests succeed.', read: success },
  { says: 'the load', example: 'Use 25 requests per second.', read: rate },
  { says: 'what is asked for', example: 'Visitors of shop request /checkout.', read: path },
]

/** Instructions as the rules read them, and the sentences of which they make nothing. */
export interface ReadInstructions {
  readonly patch: ExpectationsPatch
  readonly understood: readonly string[]
  readonly rest: readonly string[]
}

/** Reads instructions sentence by sentence. A later sentence goes before an earlier one. */
export function readPhrases(instructions: string, names: readonly string[]): ReadInstructions {
  const sentences = instructions
    .split(/(?<=[.;!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\w/.test(sentence))
  const readings = [...new Set(PHRASES.map(({ read }) => read))]
  let patch: ExpectationsPatch = {}
  const understood: string[] = []
  for (const sentence of sentences) {
    const found = readings.map((read) => read(sentence, names)).filter((reading) => reading !== null)
    if (found.length > 0) understood.push(sentence)
    patch = found.reduce(joined, patch)
  }
  return {
    patch: joined(accepted(patch), patch),
    understood,
    rest: sentences.filter((sentence) => !understood.includes(sentence)),
  }
}

/** Whoever describes a slowness and says of what users see only by when it must be over accepts it while it lasts. */
const accepted = ({ failureModel, tolerances }: ExpectationsPatch): ExpectationsPatch =>
  failureModel?.event === 'slowness' && tolerances?.normalAfterMs !== undefined
    ? { tolerances: { minShare: null, maxOutageMs: null } }
    : {}

const joined = (a: ExpectationsPatch, b: ExpectationsPatch): ExpectationsPatch => ({
  failureModel: { ...a.failureModel, ...b.failureModel },
  tolerances: { ...a.tolerances, ...b.tolerances },
  traffic: { ...a.traffic, ...b.traffic, paths: { ...a.traffic?.paths, ...b.traffic?.paths } },
})

const NUMBERS: Readonly<Record<string, number>> = {
  ...{ no: 0, none: 0, never: 0, zero: 0, half: 50, all: 100, every: 100, always: 100 },
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
  ...{ dozen: 12, fifteen: 15, twenty: 20, thirty: 30, sixty: 60, hundred: 100 },
}

/** Every number of a text, in digits or as a word; `half`, `all` and `never` are shares in percent. */
export const numbersIn = (text: string): number[] =>
  (text.toLowerCase().match(/\d+(?:[.,]\d+)?|[a-z]+/g) ?? []).flatMap((word) => {
    const number = NUMBERS[word] ?? Number(word.replace(',', '.'))
    return Number.isNaN(number) ? [] : [number]
  })
