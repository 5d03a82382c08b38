import fc from 'fast-check'
import { canonicalJson, hashOf } from './canonical-json.js'

const shuffled = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(shuffled)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .map(([k, v]): [string, unknown] => [k, shuffled(v)])
            .reverse(),
        )
      : value

describe('canonicalJson', () => {
  it('orders keys at every depth and leaves the order of lists', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }, 1], a: undefined, B: null })).toBe('{"B":null,"b":[{"c":2,"d":1},1]}')
  })

  it('is one text for one document, and reads back as the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        const text = canonicalJson(document)
        expect(canonicalJson(shuffled(document))).toBe(text)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)))
      }),
    )
  })

  it('hashes to a stable id', () => {
    expect(hashOf(canonicalJson({}))).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
  })
})
