import { type Pod } from '@ordeal/kubernetes'
import { type Fault } from '@ordeal/shared'
import { refuse } from './refuse.js'
import { type Targets } from './targets.js'

const pod = (name: string, spec: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [], ...spec },
})

const targets = (more: Partial<Targets> = {}, kind: 'PodChaos' | 'NetworkChaos' = 'PodChaos'): Targets => ({
  fault: {
    id: 'f1',
    kind,
    action: kind === 'PodChaos' ? 'pod-kill' : 'delay',
    target: { component: 'Deployment/front', selector: { app: 'front' }, mode: 'one', count: null },
    durationMs: 60_000,
    parameters: {},
  } as Fault,
  pods: [pod('front-1')],
  expected: 1,
  components: ['Deployment/front'],
  ...more,
})

describe('refuse', () => {
  it('lets a fault pass that hits one component of a sandbox', () => {
    expect(refuse([targets()], 'ordeal-cyc-a')).toBeNull()
  })
  it('refuses a fault without targets, whatever the others', () => {
    expect(refuse([targets(), targets({ pods: [], components: [] })], 'ordeal-cyc-a')).toMatchObject({
      reason: 'no-targets',
      message: expect.stringContaining('Deployment/front'),
    })
  })
  it.each(['kube-system', 'kube-public', 'default', 'chaos-mesh'])('refuses to touch %s', (namespace) => {
    expect(refuse([targets()], namespace)).toMatchObject({
      reason: 'refused',
      message: expect.stringContaining('system namespace'),
    })
  })
  it('refuses a rule that reaches other components', () => {
    const wide = targets({ components: ['Deployment/front', 'Deployment/back'] })
    expect(refuse([wide], 'ordeal-cyc-a')?.message).toContain('Deployment/back')
  })
  it('refuses a rule that selects everything', () => {
    const { fault, ...rest } = targets()
    const everything = { ...rest, fault: { ...fault, target: { ...fault.target, selector: {} } } }
    expect(refuse([everything], 'ordeal-cyc-a')?.message).toContain('every pod')
  })
  it('refuses network faults, and only those, on pods that share the network of their node', () => {
    const pods = [pod('front-1', { hostNetwork: true })]
    expect(refuse([targets({ pods }, 'NetworkChaos')], 'ordeal-cyc-a')?.message).toContain("node's network")
    expect(refuse([targets({ pods })], 'ordeal-cyc-a')).toBeNull()
  })
})
