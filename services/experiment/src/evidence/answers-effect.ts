import { type SampleLine } from '@ordeal/prober'
import { type Fault } from '@ordeal/shared'
import { quantile } from '../measure/judge-samples.js'

/** What was measured at one target while the fault was not in force, and while it was. */
export interface Compared {
  readonly pod: string
  readonly before: readonly SampleLine[]
  readonly during: readonly SampleLine[]
}

/** An effect must stand out from what varies anyway. */
const SHARE = 0.05
/** Packets that are held up show in every answer; a program that is disturbed must show more clearly. */
const NETWORK_LATENCY = { factor: 1.5, ms: 2 }
const PROGRAM_LATENCY = { factor: 2, ms: 20 }
/** A date has whole seconds, and a request may take some. */
const CLOCK_MS = 2000

/**
 * What requests straight to a pod, past every service, show of a fault: answers missing, later, with another status, with
 * other contents, or by another clock; null when none of it.
 */
export function answersEffect(kind: Fault['kind'], compared: Compared): string | null {
  const { before, during } = compared
  if (before.length === 0 || during.length === 0) return null
  if (kind === 'NetworkChaos') return lostEffect(compared, wasReached) ?? laterEffect(compared, NETWORK_LATENCY)
  return (
    clockEffect(compared) ??
    lostEffect(compared, wasAnswered) ??
    statusEffect(compared) ??
    contentEffect(compared) ??
    laterEffect(compared, PROGRAM_LATENCY)
  )
}

/** Any answer will do, whatever its status: it is the way there that is looked at. */
const wasAnswered = ({ latencyMs }: SampleLine): boolean => latencyMs !== null

/** Also by a program that speaks something else than HTTP and says so. */
const wasReached = (sample: SampleLine): boolean =>
  wasAnswered(sample) || !/no answer|time.?out|timed out|aborted|UNREACH|REFUSED/i.test(sample.error ?? '')

function lostEffect({ pod, before, during }: Compared, arrived: (sample: SampleLine) => boolean): string | null {
  const lost = 1 - shareOf(during, arrived)
  return lost - (1 - shareOf(before, arrived)) > SHARE
    ? `${pod} leaves ${percent(lost)} of requests without an answer`
    : null
}

function laterEffect({ pod, before, during }: Compared, { factor, ms }: { factor: number; ms: number }): string | null {
  const [was, is] = [latencyOf(before), latencyOf(during)]
  return is > was * factor + ms ? `${pod} answers after ${Math.round(is)} ms instead of ${Math.round(was)} ms` : null
}

function statusEffect({ pod, before, during }: Compared): string | null {
  const usual = most(before.flatMap(({ value }) => value ?? []))
  const other = during.filter(({ value }) => value !== null && value !== usual)
  if (usual === undefined || other.length / during.length <= SHARE + shareOf(before, ({ value }) => value !== usual)) {
    return null
  }
  const status = most(other.flatMap(({ value }) => value ?? []))
  return `${pod} answers ${percent(other.length / during.length)} of requests with ${status} instead of ${usual}`
}

/** Only answers that never differ can be seen to change. */
function contentEffect({ pod, before, during }: Compared): string | null {
  const [only, ...more] = new Set(before.flatMap(({ content }) => content ?? []))
  if (only === undefined || more.length > 0) return null
  const share = shareOf(during, ({ content }) => content !== undefined && content !== only)
  return share > SHARE ? `${pod} answers ${percent(share)} of requests with something else` : null
}

function clockEffect({ pod, before, during }: Compared): string | null {
  const [was, is] = [offsetOf(before), offsetOf(during)]
  if (was === null || is === null || Math.abs(is - was) < CLOCK_MS) return null
  const seconds = Math.round((is - was) / 1000)
  return `the clock of ${pod} is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'}`
}

function offsetOf(samples: readonly SampleLine[]): number | null {
  const offsets = samples.flatMap(({ at, dateMs }) => (dateMs === undefined ? [] : [dateMs - at]))
  return offsets.length ? median(offsets) : null
}

const shareOf = (samples: readonly SampleLine[], is: (sample: SampleLine) => boolean): number =>
  samples.filter(is).length / samples.length

const latencyOf = (samples: readonly SampleLine[]): number => median(samples.flatMap((s) => s.latencyMs ?? []))

export const median = (numbers: readonly number[]): number =>
  quantile(
    numbers.toSorted((a, b) => a - b),
    0.5,
  )

function most(values: readonly number[]): number | undefined {
  const groups = [...Map.groupBy(values, (value) => value)]
  return groups.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0]
}

const percent = (share: number): string => `${Math.round(share * 100)} %`
