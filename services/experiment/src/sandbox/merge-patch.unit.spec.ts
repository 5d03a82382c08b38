import fc from 'fast-check'
import { mergePatch } from './merge-patch.js'

/** RFC 7386, section 2. */
function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {}
  const result: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = apply(result[key], value)
  }
  return result
}

const anyValue = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.integer()),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
}))

describe('mergePatch', () => {
  it('is nothing between equal objects', () => {
    expect(mergePatch({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toBeNull()
  })
  it('removes, adds, and replaces lists as a whole', () => {
    expect(mergePatch({ spec: { a: 1, b: [1, 2], c: 3 } }, { spec: { b: [1], c: 3, d: 4 } })).toEqual({
      spec: { a: null, b: [1], d: 4 },
    })
  })
  it('leads from the one to the other', () => {
    fc.assert(
      fc.property(anyValue.object, anyValue.object, (before, after) => {
        expect(apply(before, mergePatch(before, after) ?? {})).toEqual(after)
      }),
    )
  })
})
