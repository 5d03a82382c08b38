import { axisTime, bytes, duration, listed, offset, percent, shorten } from './format.js'

describe('format', () => {
  it.each([
    [0, '0 ms'],
    [4.25, '4.3 ms'],
    [999.4, '999 ms'],
    [999.6, '1 s'],
    [14_230, '14.2 s'],
    [59_960, '1 min'],
    [200_000, '3 min 20 s'],
    [3_900_000, '1 h 5 min'],
  ])('says %d ms as %s', (ms, words) => {
    expect(duration(ms)).toBe(words)
  })

  it('says 100 % of all and 0 % of none only', () => {
    expect([1, 0.99999, 0.5, 0.00001, 0].map(percent)).toEqual(['100 %', '> 99.9 %', '50 %', '< 0.1 %', '0 %'])
  })

  it('says times before and after the fault', () => {
    expect([-5000, 0, 14_200].map(offset)).toEqual(['−5 s', '0 s', '+14.2 s'])
    expect([-90_000, -20_000, 60_000, 200_000].map(axisTime)).toEqual(['−1:30 min', '−20 s', '+1:00 min', '+3:20 min'])
  })

  it('says sizes, lists and long texts shortly', () => {
    expect([0, 512, 64 * 1024 ** 2].map(bytes)).toEqual(['0 B', '512 B', '64 MiB'])
    expect(listed(['a', 'b', 'c'], 2)).toBe('a, b and 1 more')
    expect(shorten('abcdef', 4)).toBe('abc…')
  })
})
