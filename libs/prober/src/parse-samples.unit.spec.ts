import { parseSamples } from './parse-samples.js'

const line = (at: number) => JSON.stringify({ probe: 'p', at, ok: true, latencyMs: 1, value: 200, error: null })

describe('parseSamples', () => {
  it('reads every line', () => {
    expect(parseSamples(`${line(1)}\n${line(2)}\n`).map((s) => s.at)).toEqual([1, 2])
  })
  it('leaves out a last line that was cut short, and takes a whole one', () => {
    expect(parseSamples(`${line(1)}\n${line(2).slice(0, 20)}`).map((s) => s.at)).toEqual([1])
    expect(parseSamples(`${line(1)}\n${line(2)}`).map((s) => s.at)).toEqual([1, 2])
  })
  it('refuses any other line, with its number', () => {
    expect(() => parseSamples(`${line(1)}\nError: boom\n${line(2)}\n`)).toThrow(/line 2 .*Error: boom/)
    expect(() => parseSamples('{"probe":"p"}\n')).toThrow(/line 1/)
  })
  it('reads an empty log as no samples', () => expect(parseSamples('')).toEqual([]))
})
