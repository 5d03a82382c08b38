import { type SampleLine } from '@ordeal/prober'
import { DeadlineError, type SteadyStateDraft } from '@ordeal/shared'
import { ProberLostError, type RunningProber } from '../prober/prober-pod.js'
import { isItsImage } from '../prober/prober-state.js'
import { type Cause } from './find-cause.js'
import { type Sandbox } from './open-sandbox.js'

/** Ready alone is not warmed up: an entry point must answer this many times running, over this time. */
const ANSWERS = 3
const RUNNING_MS = 2000
const ANSWER_MS = 60_000
const LOOK_MS = 1000

type Probed = Pick<SteadyStateDraft, 'id' | 'probe'>

/**
 * Waits until the last samples of each of `states` are good. Returns what was seen instead when that does not come in
 * time, null when it does. Throws ProberLostError when the prober measures nothing at all, which is no fault of theirs.
 */
export async function awaitAnswers(
  { cluster, context, proberImage }: Sandbox,
  prober: RunningProber,
  states: readonly Probed[],
): Promise<Cause | null> {
  const since = await cluster.clock.now()
  let silent: readonly Probed[] = states
  let last: SampleLine[] = []
  const check = async () => {
    last = (await prober.samples()).filter((s) => s.at >= since)
    silent = states.filter(({ id }) => !answers(last.filter((s) => s.probe === id)))
    return silent.length === 0 || undefined
  }
  const wait = { what: 'a good answer of every entry point', withinMs: ANSWER_MS, watch: [], everyMs: LOOK_MS, check }
  try {
    await cluster.clock.waitFor(wait, context.signal)
    return null
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    if (silent.length && last.length === 0)
      throw new ProberLostError(`${prober.name} measures nothing. ${isItsImage(proberImage)}`, error)
    return inWords(silent, last)
  }
}

function answers(samples: readonly SampleLine[]): boolean {
  const running = samples.slice(samples.findLastIndex((s) => !s.ok) + 1)
  const [first, last] = [running.at(0), running.at(-1)]
  return running.length >= ANSWERS && (last?.at ?? 0) - (first?.at ?? 0) >= RUNNING_MS
}

function inWords(silent: readonly Probed[], samples: readonly SampleLine[]): Cause {
  const objects = silent.flatMap(({ probe }) =>
    probe.kind === 'http' ? [`Service/${probe.service}`, ...(probe.through ? [probe.through.ingress] : [])] : [],
  )
  const words = silent.map((state) => {
    const { id } = state
    const name = askedOf(state)
    return `${name} does not answer well (${samples.findLast((s) => s.probe === id && !s.ok)?.error ?? 'no sample'})`
  })
  return { cause: words.join('; '), objects: [...new Set(objects)] }
}

function askedOf({ id, probe }: Probed): string {
  if (probe.kind !== 'http') return id
  const service = `Service/${probe.service} port ${probe.port}`
  return probe.through
    ? `${service} through ${probe.through.ingress} (${probe.through.host ?? ''}${probe.path})`
    : service
}
