import { RandomStream } from './random.js'

const draw = (stream: RandomStream, count: number): number[] => Array.from({ length: count }, () => stream.uniform())

describe('RandomStream', () => {
  it('depends on seed and name, and on nothing else', () => {
    const first = draw(new RandomStream(1, 'pods'), 5)
    expect(draw(new RandomStream(1, 'pods'), 5)).toEqual(first)
    expect(draw(new RandomStream(2, 'pods'), 5)).not.toEqual(first)
    expect(draw(new RandomStream(1, 'pod'), 5)).not.toEqual(first)
  })

  it('is uniform: every twentieth of the range gets its share', () => {
    const counts = new Array<number>(20).fill(0)
    for (const value of draw(new RandomStream(3, 'x'), 100_000)) counts[Math.floor(value * 20)]!++
    // Binomial: mean 5000, standard deviation 69; six of them is far outside chance.
    for (const count of counts) expect(Math.abs(count - 5_000)).toBeLessThan(414)
  })

  it('has exponential times of the mean asked for', () => {
    const stream = new RandomStream(4, 'x')
    const sum = Array.from({ length: 50_000 }, () => stream.exponential(20)).reduce((a, b) => a + b, 0)
    expect(sum / 50_000).toBeCloseTo(20, 0)
  })

  it('makes names and uids of the right form', () => {
    const stream = new RandomStream(5, 'x')
    expect(stream.name(5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(stream.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(stream.below(3)).toBeLessThan(3)
    expect(() => stream.pick([])).toThrow(RangeError)
  })
})
