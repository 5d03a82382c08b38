import { type SampleLine } from '@ordeal/prober'
import { type Fault } from '@ordeal/shared'
import { answersEffect } from './answers-effect.js'

type More = Partial<SampleLine>
const sample = (more: More, at: number): SampleLine => ({
  ...{ probe: 'p', at, ok: true, latencyMs: 4, value: 200, error: null },
  ...more,
})
const effectOf = (kind: Fault['kind'], before: More[], during: More[]): string | null =>
  answersEffect(kind, {
    pod: 'a',
    before: before.map((more, i) => sample(more, i)),
    during: during.map((more, i) => sample(more, 60_000 + i)),
  })
const late = (...latencies: number[]): More[] => latencies.map((latencyMs) => ({ latencyMs }))
const silence = { ok: false, latencyMs: null, value: null, error: 'no answer within 2000 ms' }
const garbage = { ...silence, error: 'Parse Error: Expected HTTP/' }
const broken = { ...silence, error: 'socket hang up' }

describe('answersEffect', () => {
  it.each<[string, Fault['kind'], More[], More[], string | null]>([
    ['late packets', 'NetworkChaos', late(3, 4, 5), late(103, 104, 109), 'a answers after 104 ms instead of 4 ms'],
    ['noise', 'NetworkChaos', late(3, 4, 5), late(4, 5, 5), null],
    [
      'silence',
      'NetworkChaos',
      late(3, 4, 5, 4),
      [...late(4, 4, 4), silence],
      'a leaves 25 % of requests without an answer',
    ],
    ['a program that does not speak HTTP', 'NetworkChaos', [garbage], [garbage], null],
    [
      'such a program that is cut off',
      'NetworkChaos',
      [garbage],
      [silence],
      'a leaves 100 % of requests without an answer',
    ],
    ['a little lateness of a program', 'DNSChaos', late(3, 4, 5), late(14, 15, 16), null],
    [
      'lateness of a program',
      'HTTPChaos',
      late(3, 4, 5),
      late(203, 204, 205),
      'a answers after 204 ms instead of 4 ms',
    ],
    ['broken connections', 'HTTPChaos', [{}], [broken], 'a leaves 100 % of requests without an answer'],
    [
      'another status',
      'HTTPChaos',
      [{}, {}],
      [{}, { value: 503 }],
      'a answers 50 % of requests with 503 instead of 200',
    ],
    ['a status that was there before', 'HTTPChaos', [{}, { value: 503 }], [{}, { value: 503 }], null],
    [
      'other contents',
      'HTTPChaos',
      [{ content: 'x' }],
      [{ content: 'y' }],
      'a answers 100 % of requests with something else',
    ],
    ['contents that differ anyway', 'HTTPChaos', [{ content: 'x' }, { content: 'z' }], [{ content: 'y' }], null],
    ['a clock ahead', 'TimeChaos', [{ dateMs: 0 }], [{ dateMs: 90_000 }], 'the clock of a is 30 s ahead'],
    ['a clock behind', 'TimeChaos', [{ dateMs: 0 }], [{ dateMs: 30_000 }], 'the clock of a is 30 s behind'],
    ['a clock that is right', 'TimeChaos', [{ dateMs: 0 }], [{ dateMs: 60_400 }], null],
    ['nothing before', 'NetworkChaos', [], late(100), null],
    ['nothing during', 'NetworkChaos', late(1), [], null],
  ])('sees %s with %s', (_what, kind, before, during, effect) => expect(effectOf(kind, before, during)).toBe(effect))
})
