import { align, type Ends } from './align.js'
import { splitEvent } from './make-trace.js'
import { type Scenario } from './scenario.js'
import { type Entry, type Trace, type Tracks } from './trace.js'

/** Something in which the embedded cluster is not as the real one. */
export interface Difference {
  readonly scenario: string
  readonly object: string
  /** The aspect of the object. */
  readonly track: string
  /** In words. */
  readonly text: string
}

type Bands = Pick<Scenario, 'band' | 'blink' | 'share'>
type Found = Omit<Difference, 'scenario' | 'object'>

/** How far apart counts of a repeated event may lie. */
const TIMES_SHARE = 0.4
const TIMES_LEAST = 2
const PASSING_TIMES = 2
/** A time may be off by this share of what has passed since its step began, where that is more than the band. */
const DRIFT = 0.1

/** Compares what the embedded cluster did with what the real one did. None: they agree. */
export function compareTraces(real: Trace, embedded: Trace, bands: Bands): Difference[] {
  const context = new Comparison(real, embedded, bands)
  const names = [...new Set([...Object.keys(real.objects), ...Object.keys(embedded.objects)])].sort()
  const here = (object: string) => (found: Found) => ({ scenario: real.scenario, object, ...found })
  return [
    ...context.answers().map(here('-')),
    ...context.traffic().map(here('-')),
    ...names.flatMap((name) => context.group(name).map(here(name))),
  ]
}

class Comparison {
  constructor(
    private readonly real: Trace,
    private readonly embedded: Trace,
    private readonly bands: Bands,
  ) {}

  answers(): Found[] {
    return this.real.answers.flatMap((texts, step) => {
      const others = this.embedded.answers[step] ?? []
      const [ours, theirs] = [texts.join(' | '), others.join(' | ')]
      return ours === theirs ? [] : [{ track: `answer ${step + 1}`, text: `real: ${ours}; embedded: ${theirs}` }]
    })
  }

  traffic(): Found[] {
    return (this.real.traffic ?? []).flatMap((share, step) => {
      const other = this.embedded.traffic?.[step] ?? null
      if (share === null || other === null || Math.abs(share - other) <= this.bands.share) return []
      return [
        { track: `traffic ${step + 1}`, text: `answered well, real: ${percent(share)}, embedded: ${percent(other)}` },
      ]
    })
  }

  /** Objects of one masked name are paired so that they differ least. */
  group(name: string): Found[] {
    const left = [...(this.real.objects[name] ?? [])]
    const right = [...(this.embedded.objects[name] ?? [])]
    const found: Found[] = []
    while (left.length > 0 && right.length > 0) {
      const best = this.closest(left, right)
      found.push(...best.differences)
      left.splice(best.left, 1)
      right.splice(best.right, 1)
    }
    return [
      ...found,
      ...left
        .filter((one) => this.counts(one, this.real))
        .map((one) => ({ track: 'exists', text: `only on the real cluster: ${summary(one)}` })),
      ...right
        .filter((one) => this.counts(one, this.embedded))
        .map((one) => ({ track: 'exists', text: `only on the embedded cluster: ${summary(one)}` })),
    ]
  }

  /** What appears at the very end may come too late to be seen. */
  private counts({ exists }: Tracks, { steps }: Trace): boolean {
    return (exists?.[0]?.at ?? 0) <= (steps.at(-1) ?? 0) - this.bandSeconds
  }

  private closest(
    left: readonly Tracks[],
    right: readonly Tracks[],
  ): { left: number; right: number; differences: Found[] } {
    let best = { left: 0, right: 0, differences: this.tracks(left[0] ?? {}, right[0] ?? {}) }
    for (const [i, a] of left.entries()) {
      for (const [j, b] of right.entries()) {
        if (best.differences.length === 0) return best
        const differences = this.tracks(a, b)
        if (differences.length < best.differences.length) best = { left: i, right: j, differences }
      }
    }
    return best
  }

  private tracks(left: Tracks, right: Tracks): Found[] {
    const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()
    return names.flatMap((name) => {
      const compare = name === 'events' ? this.events.bind(this) : this.values.bind(this)
      return compare(left, right, name).map((text) => ({ track: name, text }))
    })
  }

  private values(left: Tracks, right: Tracks, name: string): string[] {
    const ends = [this.ends(left, this.real, name), this.ends(right, this.embedded, name)] as const
    const { pairs, onlyLeft, onlyRight } = align(left[name] ?? [], right[name] ?? [], ends)
    return [
      ...onlyLeft.map(({ at, value }) => `only real, at ${at} s: ${value}`),
      ...onlyRight.map(({ at, value }) => `only embedded, at ${at} s: ${value}`),
      ...pairs
        .filter(([a, b]) => !this.near(a, b))
        .map(([a, b]) => `${a.value}: real at ${a.at} s, embedded at ${b.at} s`),
    ]
  }

  private events(left: Tracks, right: Tracks): string[] {
    const [ours, theirs] = [left.events ?? [], right.events ?? []].map((list) =>
      list.map((e) => ({ ...e, ...splitEvent(e.value) })),
    )
    const only = (where: string, mine: typeof ours = [], others: typeof ours = [], sure: number) =>
      mine
        .filter(
          ({ text, at, times }) =>
            at <= sure && !isPassing(text, times) && !others.some((other) => other.text === text),
        )
        .map(({ text, at }) => `only ${where}, at ${at} s: ${text}`)
    const both = (ours ?? []).flatMap((event) => {
      const other = theirs?.find(({ text }) => text === event.text)
      return other ? [[event, other] as const] : []
    })
    return [
      ...only('real', ours, theirs, this.ends(left, this.real).sure),
      ...only('embedded', theirs, ours, this.ends(right, this.embedded).sure),
      ...both
        .filter(([a, b]) => !this.near(a, b))
        .map(([a, b]) => `${a.text}: real at ${a.at} s, embedded at ${b.at} s`),
      ...both
        .filter(
          ([a, b]) => Math.abs(a.times - b.times) > Math.max(TIMES_LEAST, TIMES_SHARE * Math.max(a.times, b.times)),
        )
        .map(([a, b]) => `${a.text}: real ${a.times} times, embedded ${b.times} times`),
    ]
  }

  private get bandSeconds(): number {
    return this.bands.band / 1000
  }

  private ends({ exists }: Tracks, { steps }: Trace, track = ''): Ends {
    const over = steps.at(-1) ?? 0
    const gone = exists?.find(({ value }) => value === 'gone')?.at
    // Being gone lasts.
    return {
      end: track === 'exists' ? over : (gone ?? over),
      sure: over - this.bandSeconds,
      blink: this.bands.blink / 1000,
    }
  }

  /** Times are told from the step in which they lie, or from the one that begins just then. */
  private near(left: Entry, right: Entry): boolean {
    return this.real.steps.some((start, index) => {
      const next = this.real.steps[index + 1] ?? Infinity
      if (left.at < start - this.bandSeconds || left.at > next + this.bandSeconds) return false
      const passed = left.at - start
      const apart = Math.abs(passed - (right.at - (this.embedded.steps[index] ?? 0)))
      return apart <= Math.max(this.bandSeconds, DRIFT * passed)
    })
  }
}

/** A probe may or may not meet the moment in which a container starts or ends. */
const isPassing = (text: string, times: number): boolean => times <= PASSING_TIMES && text.includes(' Unhealthy ')

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** The last value of the aspects that tell most. */
function summary(tracks: Tracks): string {
  const last = (name: string) => tracks[name]?.at(-1)?.value
  const told = ['phase', 'spec.replicas', 'deleting', 'condition Ready'].filter((name) => last(name) !== undefined)
  return [`since ${tracks.exists?.[0]?.at ?? '?'} s`, ...told.map((name) => `${name}=${last(name)}`)].join(', ')
}
