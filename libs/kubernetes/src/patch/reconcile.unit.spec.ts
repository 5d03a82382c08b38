import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { parse, stringify } from 'yaml'
import { withValueAt } from '../input/json-pointer.js'
import { type Json } from '../input/kubernetes-object.js'
import { viewDocument } from './document-view.js'
import { reconcile } from './reconcile.js'

/** Sets what is at a path (with dots) of a document's text. */
const set = (text: string, path: string, value: Json | undefined): string => {
  const wanted = withValueAt(viewDocument(text).value, path.split('.'), value) as Json
  const result = reconcile(text, wanted)
  expect(viewDocument(result).value).toEqual(wanted)
  return result
}

const DEPLOYMENT = `# The front page.
kind: Deployment   # as ever
metadata:
  name: 'web'
  labels: {app: web, tier: "front"}  # two
spec:
  # how the pods are found
  selector:
    matchLabels: {app: web}
  template:
    spec:
      containers:
      - name: web      # main
        image: "nginx:1.27"
        args: ['-v', "x"]
        resources: {}
        env:
        - {name: A, value: "1"}
        # the second
        - name: B
          value: |
            several
            lines

      - name: side
        image: side:1

# The end.
`
const lines = (text: string): string[] => text.split('\n')
/** Lines of the one that are not in the other, with their signs. */
const changed = (before: string, after: string): string[] => [
  ...lines(before)
    .filter((l) => !lines(after).includes(l))
    .map((l) => `- ${l}`),
  ...lines(after)
    .filter((l) => !lines(before).includes(l))
    .map((l) => `+ ${l}`),
]

describe('reconcile', () => {
  it.each<[string, string, Json | undefined, string[]]>([
    ['a plain text', 'kind', 'StatefulSet', ['- kind: Deployment   # as ever', '+ kind: StatefulSet   # as ever']],
    ['a quoted text', 'metadata.name', 'shop', ["-   name: 'web'", "+   name: 'shop'"]],
    [
      'a value within brackets',
      'metadata.labels.tier',
      'back',
      ['-   labels: {app: web, tier: "front"}  # two', '+   labels: {app: web, tier: "back"}  # two'],
    ],
    [
      'a key within brackets',
      'metadata.labels.zone',
      'a',
      ['-   labels: {app: web, tier: "front"}  # two', '+   labels: {app: web, tier: "front", zone: a}  # two'],
    ],
    [
      'a key gone from brackets',
      'metadata.labels.app',
      undefined,
      ['-   labels: {app: web, tier: "front"}  # two', '+   labels: {tier: "front"}  # two'],
    ],
    ['a number of replicas', 'spec.replicas', 2, ['+   replicas: 2']],
    ['a new key', 'spec.minReadySeconds', 5, ['+   minReadySeconds: 5']],
    [
      'a new map',
      'spec.strategy',
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } },
      ['+   strategy:', '+     type: RollingUpdate', '+     rollingUpdate:', '+       maxUnavailable: 0'],
    ],
    [
      'a map where an empty one was',
      'spec.template.spec.containers.0.resources',
      { requests: { cpu: '50m' } },
      ['-         resources: {}', '+         resources:', '+           requests:', '+             cpu: 50m'],
    ],
    [
      'a new list',
      'spec.template.spec.containers.1.ports',
      [{ containerPort: 80 }],
      ['+         ports:', '+         - containerPort: 80'],
    ],
    [
      'an item',
      'spec.template.spec.containers.0.args.-',
      'z',
      [`-         args: ['-v', "x"]`, `+         args: ['-v', "x", z]`],
    ],
    [
      'a further container',
      'spec.template.spec.containers.-',
      { name: 'more', image: 'more:1' },
      ['+       - name: more', '+         image: more:1'],
    ],
    [
      'lines of a text',
      'spec.template.spec.containers.0.env.1.value',
      'other\nlines\n',
      ['-             several', '+             other'],
    ],
    ['a key gone', 'metadata.name', undefined, ["-   name: 'web'"]],
    [
      'an item gone',
      'spec.template.spec.containers.0.env.1',
      undefined,
      ['-         - name: B', '-           value: |', '-             several', '-             lines'],
    ],
    [
      'the first key of an item gone',
      'spec.template.spec.containers.1.name',
      undefined,
      ['-       - name: side', '-         image: side:1', '+       - image: side:1'],
    ],
    [
      'a list gone to nothing',
      'spec.template.spec.containers.0.args',
      [],
      [`-         args: ['-v', "x"]`, '+         args: []'],
    ],
    [
      'a scalar where a map was',
      'spec.selector',
      'none',
      ['-   selector:', '-     matchLabels: {app: web}', '+   selector: none'],
    ],
    [
      'a text that could be read as another type',
      'kind',
      'on',
      ['- kind: Deployment   # as ever', '+ kind: "on"   # as ever'],
    ],
  ])('changes %s and nothing else', (_, path, value, expected) => {
    expect(changed(DEPLOYMENT, set(DEPLOYMENT, path, value))).toEqual(expected)
  })

  it('puts the number of replicas first, above the comments of the next key', () => {
    expect(set(DEPLOYMENT, 'spec.replicas', 2)).toContain('spec:\n  replicas: 2\n  # how the pods are found\n')
  })

  it('keeps Windows line ends', () => {
    const result = set(DEPLOYMENT.replaceAll('\n', '\r\n'), 'spec.strategy', { type: 'Recreate' })
    expect(result.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(result).toContain('  strategy:\r\n    type: Recreate\r\n')
  })

  it.each([2, '\t', undefined])('writes JSON into JSON that is indented by %j', (level) => {
    const value = { kind: 'Pod', spec: { a: [1, { x: 2 }] } }
    const wanted = { kind: 'Pod', spec: { a: [1, { x: 2 }], b: { c: ['x'], d: 'y' } }, e: 3 }
    expect(reconcile(JSON.stringify(value, null, level), wanted)).toBe(JSON.stringify(wanted, null, level))
  })

  it('keeps a text without a final line end without one', () => {
    expect(set('a: 1\nb: 2', 'b', undefined)).toBe('a: 1')
    expect(set('a: 1\nb: 2', 'c', 3)).toBe('a: 1\nb: 2\nc: 3')
  })

  it('writes out what an alias shares where it must differ', () => {
    const text = 'one: &x {a: 1, b: 2}\ntwo: *x\nthree: *x\n'
    expect(set(text, 'two.a', 5)).toBe('one: &x {a: 1, b: 2}\ntwo:\n  a: 5\n  b: 2\nthree: *x\n')
    expect(viewDocument(set(text, 'one.a', 5)).value).toEqual({
      one: { a: 5, b: 2 },
      two: { a: 1, b: 2 },
      three: { a: 1, b: 2 },
    })
    expect(set(text, 'one', undefined)).toContain('two:')
  })

  it('overrides what a merge key brings, and writes it out where a key must go', () => {
    const text = 'base: &x\n  a: 1\n  b: 2\nuse:\n  <<: *x\n  c: 3\n'
    expect(set(text, 'use.a', 5)).toBe(`${text}  a: 5\n`)
    expect(set(text, 'use.a', undefined)).toBe('base: &x\n  a: 1\n  b: 2\nuse:\n  c: 3\n  b: 2\n')
  })

  const key = fc.oneof(fc.stringMatching(/^[a-z][a-zA-Z0-9-]{0,6}$/), fc.constantFrom('on', 'y', '8080', 'a b', ''))
  const leaf = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom(
      'on',
      '0644',
      '1e3',
      '2024-01-01',
      '12:30',
      '~',
      '',
      'a: b',
      '# c',
      'x\ny\n',
      '  lead\n',
      'trail \n\n',
      '- x',
      '*a',
      '&a',
      '{',
      '%',
      '@x',
    ),
  )
  const { tree } = fc.letrec<{ tree: Json; map: Json }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      tie('map'),
    ),
    map: fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  }))
  const document = fc.dictionary(key, tree, { minKeys: 1, maxKeys: 5, noNullPrototype: true })
  const style = fc.record({
    indent: fc.constantFrom(2, 4),
    indentSeq: fc.boolean(),
    collectionStyle: fc.constantFrom('any' as const, 'flow' as const),
    flowCollectionPadding: fc.boolean(),
    defaultStringType: fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const),
  })
  const print = (value: Json, options: object): string =>
    stringify(value, { ...options, version: '1.1', compat: 'core', lineWidth: 0 })

  it('reaches any value from any document in any style', () => {
    fc.assert(
      fc.property(document, document, style, (before, after, options) => {
        const result = reconcile(print(before, options), after)
        expect(viewDocument(result).value).toEqual(after)
        expect(parse(result)).toEqual(after)
      }),
      { numRuns: 400 },
    )
  })

  it('reaches any value from a document full of aliases', () => {
    const shared = fc.tuple(tree, tree, tree).chain((parts) => {
      const node: fc.Arbitrary<Json> = fc.oneof(
        fc.constantFrom(...parts),
        fc.array(fc.constantFrom(...parts), { maxLength: 3 }),
      )
      return fc.dictionary(key, node, { minKeys: 2, maxKeys: 6, noNullPrototype: true })
    })
    fc.assert(
      fc.property(shared, shared, style, fc.boolean(), (before, after, options, isOneOff) => {
        const wanted = isOneOff ? { ...before, [Object.keys(after)[0] ?? 'a']: Object.values(after)[0] ?? null } : after
        const text = print(before, options)
        fc.pre(isDeepStrictEqual(viewDocument(text).value, before))
        expect(viewDocument(reconcile(text, wanted)).value).toEqual(wanted)
      }),
      { numRuns: 300 },
    )
  })

  it('leaves every line alone but that of the value which changes, with comments on every line', () => {
    fc.assert(
      fc.property(document, style, fc.nat(), fc.integer(), (value, options, pick, next) => {
        const plain = { ...options, collectionStyle: 'any' as const, defaultKeyType: 'PLAIN' as const }
        const text = print(value, plain)
        // The library itself prints some texts with leading blanks so that they read otherwise.
        fc.pre(isDeepStrictEqual(viewDocument(text).value, value))
        const isOneLine = (k: string): boolean => typeof value[k] !== 'object' && !String(value[k]).includes('\n')
        const keys = Object.keys(value).filter((k) => isOneLine(k) && lines(text).some((l) => l.startsWith(`${k}:`)))
        fc.pre(keys.length > 0)
        const name = keys[pick % keys.length] as string
        const commented = lines(text)
          .map((l) => (l.startsWith(`${name}:`) ? `# above\n${l} # kept` : l))
          .join('\n')
        const result = reconcile(commented, { ...value, [name]: next })
        const pairs = lines(commented).map((l, i) => [l, lines(result)[i]])
        expect(lines(result)).toHaveLength(lines(commented).length)
        expect(
          pairs
            .filter(([a, b]) => a !== b)
            .every(([a, b]) => a?.startsWith(`${name}:`) && b === `${name}: ${next} # kept`),
        ).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
