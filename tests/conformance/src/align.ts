import { ABSENT } from './make-trace.js'
import { type Entry } from './trace.js'

/** An entry, and whether the other cluster may pass over it. */
interface Seen extends Entry {
  readonly optional: boolean
}

export interface Aligned {
  readonly pairs: readonly (readonly [Entry, Entry])[]
  /** Values that only one has, though it stood long enough to be seen. */
  readonly onlyLeft: readonly Entry[]
  readonly onlyRight: readonly Entry[]
}

export interface Ends {
  /** When the object, or the scenario, ended. */
  readonly end: number
  /** What begins later than this may lie beyond the other's end. */
  readonly sure: number
  /** Values that stood for less than this (s) may be passed over. */
  readonly blink: number
}

/**
 * Sets two sequences of values side by side, order kept. Of a number only its turning points count: on the way from 0 to
 * 3 one cluster may write 1 and 2, and the other not.
 */
export function align(
  left: readonly Entry[],
  right: readonly Entry[],
  [leftEnds, rightEnds]: readonly [Ends, Ends],
): Aligned {
  const numeric = [...left, ...right].every(({ value }) => /^\d+$/.test(value) || value === ABSENT)
  if (!numeric) return alignBoth([marked(left, leftEnds), leftEnds], [marked(right, rightEnds), rightEnds])
  // A peak of a blink may be seen by one and not by the other, and what lies before and after it looks different then.
  const tries = WEIGHTS.flatMap((a) =>
    WEIGHTS.map((b) => {
      const [points, others] = [turningPoints(calmed(left, leftEnds, a)), turningPoints(calmed(right, rightEnds, b))]
      return alignBoth([marked(points, leftEnds), leftEnds], [marked(others, rightEnds), rightEnds])
    }),
  )
  const size = ({ onlyLeft, onlyRight }: Aligned) => onlyLeft.length + onlyRight.length
  return tries.reduce((best, one) => (size(one) < size(best) ? one : best))
}

/** How much of a blink may be passed over, of each sequence by itself. */
const WEIGHTS = [0, 1, 2] as const

/** Without what did not stand for long. */
function calmed(entries: readonly Entry[], { end, blink }: Ends, weight: number): Entry[] {
  const stood = (entry: Entry, index: number) => (entries[index + 1]?.at ?? end) - entry.at
  return entries.filter((entry, index) => index === entries.length - 1 || stood(entry, index) >= weight * blink)
}

function alignBoth([left, leftEnds]: readonly [Seen[], Ends], [right, rightEnds]: readonly [Seen[], Ends]): Aligned {
  return withLast(alignSeen(left, right), lasting(left, leftEnds), lasting(right, rightEnds))
}

/** The value at the end, where it stood long enough. */
function lasting(entries: readonly Entry[], { end, sure, blink }: Ends): Entry | undefined {
  const last = entries.at(-1)
  return last && last.at <= sure && end - last.at >= blink ? last : undefined
}

/** However the ways there compare, both end at the same. */
function withLast(aligned: Aligned, left: Entry | undefined, right: Entry | undefined): Aligned {
  if (
    !left ||
    !right ||
    left.value === right.value ||
    aligned.onlyLeft.includes(left) ||
    aligned.onlyRight.includes(right)
  ) {
    return aligned
  }
  return { ...aligned, onlyLeft: [...aligned.onlyLeft, left], onlyRight: [...aligned.onlyRight, right] }
}

function turningPoints(entries: readonly Entry[]): Entry[] {
  const number = (entry: Entry | undefined) => (entry === undefined || entry.value === ABSENT ? 0 : Number(entry.value))
  const zeroed = [
    { at: entries[0]?.at ?? 0, value: '0' },
    ...entries.map(({ at, value }) => ({ at, value: value === ABSENT ? '0' : value })),
  ]
  const changes = zeroed.filter((entry, index) => index === 0 || entry.value !== zeroed[index - 1]?.value)
  return changes.filter((entry, index) => {
    const [before, next] = [changes[index - 1], changes[index + 1]]
    return !before || !next || number(entry) > number(before) !== number(next) > number(entry)
  })
}

function marked(entries: readonly Entry[], { end, sure, blink }: Ends): Seen[] {
  let standing: string | null = null
  return entries.map((entry, index) => {
    const until = entries[index + 1]?.at ?? end
    // What comes back after a blink looks as if it had never gone.
    const optional = until - entry.at < blink || entry.at > sure || entry.value === standing
    if (!optional) standing = entry.value
    return { ...entry, optional }
  })
}

/** A step through both sequences: past two equal values, or past one that the other does not have. */
type Move = 'pair' | 'left' | 'right'
interface Way {
  readonly cost: number
  readonly move: Move | null
}

const STEPS = { pair: [1, 1], left: [1, 0], right: [0, 1] } as const

/** What must be seen and has no partner costs most. */
const costOf = ({ optional }: Seen): number => (optional ? 0.01 : 1)

/** The alignment that costs least. */
function alignSeen(left: readonly Seen[], right: readonly Seen[]): Aligned {
  const ways = waysThrough(left, right)
  const pairs: [Entry, Entry][] = []
  const only = { left: [] as Entry[], right: [] as Entry[] }
  let [i, j] = [0, 0]
  for (let way = ways[i]?.[j]; way?.move; way = ways[i]?.[j]) {
    const { move } = way
    const [a, b] = [left[i], right[j]]
    if (move === 'pair' && a && b) pairs.push([a, b])
    else if (move !== 'pair') only[move].push(...mustBeSeen(move === 'left' ? a : b))
    i += STEPS[move][0]
    j += STEPS[move][1]
  }
  return { pairs, onlyLeft: only.left, onlyRight: only.right }
}

const mustBeSeen = (entry: Seen | undefined): Entry[] => (entry && !entry.optional ? [entry] : [])

/** The cheapest way on from each place, found from the end. */
function waysThrough(left: readonly Seen[], right: readonly Seen[]): Way[][] {
  const ways: Way[][] = Array.from({ length: left.length + 1 }, () => [])
  for (let i = left.length; i >= 0; i -= 1) {
    for (let j = right.length; j >= 0; j -= 1) {
      const after = (move: Move) => ways[i + STEPS[move][0]]?.[j + STEPS[move][1]]?.cost ?? 0
      const row = ways[i]
      if (row) row[j] = cheapest(left[i], right[j], after)
    }
  }
  return ways
}

function cheapest(a: Seen | undefined, b: Seen | undefined, after: (move: Move) => number): Way {
  const ways: Way[] = []
  if (a && b && a.value === b.value) ways.push({ move: 'pair', cost: after('pair') })
  if (a) ways.push({ move: 'left', cost: costOf(a) + after('left') })
  if (b) ways.push({ move: 'right', cost: costOf(b) + after('right') })
  return ways.reduce<Way>((best, way) => (best.move === null || way.cost < best.cost ? way : best), NOWHERE)
}

const NOWHERE: Way = { cost: 0, move: null }
