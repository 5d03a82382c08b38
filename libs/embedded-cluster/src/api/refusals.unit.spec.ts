import { refusalsOf } from './refusals.js'

const pod = (
  name: string,
  spec: object,
): { apiVersion: string; kind: string; metadata: { name: string }; spec: object } => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec,
})
const containers = [{ name: 'web', image: 'nginx:1.27' }]

describe('refusalsOf', () => {
  it('names every object that is refused, with its fields, and no other', () => {
    const refusals = refusalsOf([
      pod('good', { containers }),
      pod('gated', { containers, readinessGates: [{ conditionType: 'example.com/ready' }] }),
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } },
    ])
    expect(refusals.map((r) => r.object)).toEqual(['Pod/gated', 'Widget/w'])
    expect(refusals[0]?.message).toContain('readinessGates')
    expect(refusals[1]?.message).toContain('Widget of example.com/v1 is not modelled')
  })

  it('takes an object whose namespace the sandbox will replace', () => {
    const elsewhere = { ...pod('a', { containers }), metadata: { name: 'a', namespace: 'shop' } }
    expect(refusalsOf([elsewhere])).toEqual([])
  })
})
