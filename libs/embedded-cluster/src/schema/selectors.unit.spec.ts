import { matchesSelector, parseFieldSelector, parseLabelSelector } from './selectors.js'

describe('parseLabelSelector', () => {
  const labels = { app: 'web', tier: 'front', 'example.com/x': '1', n: '5' }
  it.each([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app=other', false],
    ['app!=web', false],
    ['none!=web', true],
    ['app', true],
    ['!app', false],
    ['!none', true],
    ['app in (web, db)', true],
    ['app in (db)', false],
    ['app notin (db),tier=front', true],
    ['none notin (db)', true],
    ['example.com/x=1', true],
    ['n>4', true],
    ['n<4', false],
    ['app=web,tier=back', false],
  ])('%j: %s', (text, expected) => {
    expect(parseLabelSelector(text)(labels)).toBe(expected)
  })

  it.each(['a=b=c', 'in (x)', 'a in x', '=', 'a b'])('refuses %j', (text) => {
    expect(() => parseLabelSelector(text)).toThrow('unable to parse requirement')
  })

  it('takes no label from the prototype', () => {
    expect(parseLabelSelector('constructor')({})).toBe(false)
  })
})

describe('parseFieldSelector', () => {
  const object = { metadata: { name: 'a' }, status: { phase: 'Running' } }
  it.each([
    ['metadata.name=a', true],
    ['metadata.name==b', false],
    ['status.phase!=Pending', true],
    ['metadata.name=a,status.phase!=Running', false],
    ['spec.nodeName=', true],
  ])('%j: %s', (text, expected) => {
    expect(parseFieldSelector(text, ['metadata.name', 'status.phase', 'spec.nodeName'])(object)).toBe(expected)
  })

  it('refuses a field that is not offered', () => {
    expect(() => parseFieldSelector('spec.x=1', ['metadata.name'])).toThrow('field label not supported: spec.x')
  })
})

describe('matchesSelector', () => {
  it('takes everything when empty and nothing when missing', () => {
    expect(matchesSelector({}, { a: 'b' })).toBe(true)
    expect(matchesSelector(undefined, { a: 'b' })).toBe(false)
  })

  it('wants labels and expressions to hold', () => {
    const selector = {
      matchLabels: { a: '1' },
      matchExpressions: [
        { key: 'b', operator: 'In', values: ['1', '2'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    }
    expect(matchesSelector(selector, { a: '1', b: '2' })).toBe(true)
    expect(matchesSelector(selector, { a: '1', b: '3' })).toBe(false)
    expect(matchesSelector(selector, { a: '1', b: '1', c: '' })).toBe(false)
  })
})
