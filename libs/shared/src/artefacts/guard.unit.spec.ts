import { cycleOptionsSchema } from './cycle.js'
import { parseGuard } from './guard.js'

describe('parseGuard', () => {
  it.each([
    ['availability<50% for 10s', null, { kind: 'availability', below: 0.5, forMs: 10_000 }],
    ['  availability < 99.5 %  for 1.5m ', null, { kind: 'availability', below: 0.995, forMs: 90_000 }],
    ['front-answers: availability<100% for 5s', 'front-answers', { kind: 'availability', below: 1, forMs: 5000 }],
    ['20 failures in a row', null, { kind: 'failures', inARow: 20 }],
    ['front-answers: 1 failures in a row', 'front-answers', { kind: 'failures', inARow: 1 }],
  ])('reads %j', (text, steadyState, rule) => {
    expect(parseGuard(text)).toEqual({ text: text.trim(), steadyState, rule })
  })

  it.each([
    '',
    'availability<50%',
    'availability<50 for 10s',
    'availability>50% for 10s',
    'availability<0% for 10s',
    'availability<101% for 10s',
    'availability<50% for 10',
    'availability<50% for 500ms',
    '0 failures in a row',
    'Front: 3 failures in a row',
    '3 failures',
  ])('refuses %j, with what to write', (text) => {
    expect(() => parseGuard(text)).toThrow(/Write|Give/)
  })

  it('is checked where options are read, and is off by default', () => {
    expect(cycleOptionsSchema.parse({}).abortWhen).toEqual([])
    expect(cycleOptionsSchema.safeParse({ abortWhen: ['often'] }).error?.issues).toMatchObject([
      { path: ['abortWhen', 0], message: expect.stringContaining("'often' does not say when to abort") },
    ])
  })
})
