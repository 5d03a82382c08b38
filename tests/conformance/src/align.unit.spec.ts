import { align, type Ends } from './align.js'
import { type Entry } from './trace.js'

const ends: Ends = { end: 100, sure: 95, blink: 1 }
const entries = (...pairs: [number, string][]): Entry[] => pairs.map(([at, value]) => ({ at, value }))
const compare = (left: Entry[], right: Entry[]) => align(left, right, [ends, ends])

describe('sequences side by side', () => {
  it('pass over what stood for a blink only', () => {
    const { onlyLeft, onlyRight } = compare(entries([0, 'a'], [10, 'b'], [10.5, 'c']), entries([0, 'a'], [10, 'c']))
    expect([onlyLeft, onlyRight]).toEqual([[], []])
  })

  it('keep what stood longer', () => {
    const { onlyLeft } = compare(entries([0, 'a'], [10, 'b'], [20, 'c']), entries([0, 'a'], [10, 'c']))
    expect(onlyLeft).toMatchObject(entries([10, 'b']))
  })

  it('keep the order of values', () => {
    const { onlyLeft, onlyRight } = compare(entries([0, 'a'], [10, 'b']), entries([0, 'b'], [10, 'a']))
    expect(onlyLeft.length + onlyRight.length).toBeGreaterThan(0)
  })

  it('look at the turning points of numbers', () => {
    const { onlyLeft, onlyRight } = compare(entries([0, '1'], [5, '2'], [9, '3']), entries([0, '3']))
    expect([onlyLeft, onlyRight]).toEqual([[], []])
    expect(compare(entries([0, '3'], [10, '1'], [20, '3']), entries([0, '3'])).onlyLeft).not.toEqual([])
  })

  it('end at the same value', () => {
    expect(compare(entries([0, 'a'], [10, 'b']), entries([0, 'a'])).onlyLeft).not.toEqual([])
  })
})
