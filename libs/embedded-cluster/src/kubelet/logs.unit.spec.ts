import { AppendLog } from '../kernel/append-log.js'
import { ContainerLog } from './logs.js'

describe('the log of a container', () => {
  it('keeps the newest lines, and never much more than 32 MiB of them', () => {
    const log = new ContainerLog()
    const line = 'x'.repeat(16 * 1024)
    for (let i = 0; i < 5000; i++) log.write(i, line)
    const { lines } = log
    const characters = lines.reduce((sum, { text }) => sum + text.length, 0)
    expect(characters).toBeLessThanOrEqual(32 * 1024 * 1024)
    expect(characters).toBeGreaterThan(8 * 1024 * 1024)
    expect(lines.at(-1)?.at).toBe(4999)
    expect(lines.map(({ at }) => at)).toEqual(lines.map((_, index) => (lines[0]?.at ?? 0) + index))
  })
})

describe('a list in chunks', () => {
  it('gives back what was put in, from any index on, after any trim', () => {
    for (const total of [0, 1, 3, 4, 5, 11, 40]) {
      const log = new AppendLog<number>(4)
      for (let i = 0; i < total; i++) log.push(i)
      const trimmed = log.trim(10)
      const kept = Array.from({ length: total }, (_, i) => i).slice(trimmed.length)
      expect(log.toArray()).toEqual(kept)
      expect(log.length).toBe(kept.length)
      for (let i = 0; i <= kept.length; i++) expect(log.slice(i)).toEqual(kept.slice(i))
      expect(kept.map((_, i) => log.at(i))).toEqual(kept)
      expect(kept.length).toBeLessThan(14 + 1)
    }
  })
})
