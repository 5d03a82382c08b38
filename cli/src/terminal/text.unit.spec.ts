import { fit, humanTime, printable, wrap } from './text.js'

describe('text', () => {
  it('of foreign origin becomes one line without control characters', () => {
    expect(printable('a\u001b]0;title\u0007b\r\nc\td')).toBe('a]0;titleb c d')
  })

  it('is cut with an ellipsis, never beyond the width', () => {
    expect([fit('short', 5), fit('longer', 5), fit('x', 0)]).toEqual(['short', 'long…', '…'])
  })

  it('is wrapped at words, with later lines indented', () => {
    expect(wrap('one two three four', 9, '  ')).toBe('one two\n  three\n  four')
  })

  it.each([
    [0, '0.0 s'],
    [9949, '9.9 s'],
    [9951, '10 s'],
    [59_499, '59 s'],
    [59_600, '1 min 0 s'],
    [185_000, '3 min 5 s'],
  ])('tells %d ms as %s', (ms, text) => {
    expect(humanTime(ms)).toBe(text)
  })
})
