import { noPath } from '../schema/refused-kinds.js'
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

  it.each([
    ['chaos-mesh.org/v1alpha1', 'IOChaos', '/apis/chaos-mesh.org/v1alpha1/namespaces/a/iochaos', /files/],
    ['chaos-mesh.org/v1alpha1', 'TimeChaos', '/apis/chaos-mesh.org/v1alpha1/timechaos', /clock/],
    ['chaos-mesh.org/v1alpha1', 'Workflow', '/apis/chaos-mesh.org/v1alpha1/namespaces/a/workflows/w', /Ordeal makes/],
    ['chaos-mesh.org/v1alpha1', 'Schedule', '/apis/chaos-mesh.org/v1alpha1/schedules', /Ordeal makes/],
    ['v1', 'ReplicationController', '/api/v1/namespaces/a/replicationcontrollers', /Deployment/],
  ])('gives its reason against a kind that people expect: %s %s', (apiVersion, kind, path, why) => {
    expect(refusalsOf([{ apiVersion, kind, metadata: { name: 'a' } }])[0]?.message).toMatch(why)
    expect(noPath(path)).toMatch(why)
    expect(noPath('/apis/nothing/v1/things')).toMatch(/the kind is not modelled/)
  })

  it('takes an object whose namespace the sandbox will replace', () => {
    const elsewhere = { ...pod('a', { containers }), metadata: { name: 'a', namespace: 'shop' } }
    expect(refusalsOf([elsewhere])).toEqual([])
  })
})
