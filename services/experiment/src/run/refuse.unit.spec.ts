import { type Pod } from '@ordeal/kubernetes'
import { type Fault } from '@ordeal/shared'
import { refuse, refuseForeign } from './refuse.js'
import { type Place } from '../place/place.js'
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
  size: 1,
  components: ['Deployment/front'],
  ...more,
})

const PLACE = { namespace: 'ordeal-cyc-a', unknown: new Set<Fault['kind']>(['TimeChaos']) }

describe('refuse', () => {
  it('lets a fault pass that hits one component of a sandbox', () => {
    expect(refuse([targets()], PLACE)).toBeNull()
  })
  it('refuses a fault without targets, whatever the others', () => {
    expect(refuse([targets(), targets({ pods: [], components: [] })], PLACE)).toMatchObject({
      reason: 'no-targets',
      message: expect.stringContaining('Deployment/front'),
    })
  })
  it.each(['kube-system', 'kube-public', 'default', 'chaos-mesh'])('refuses to touch %s', (namespace) => {
    expect(refuse([targets()], { ...PLACE, namespace })).toMatchObject({
      reason: 'refused',
      message: expect.stringContaining('system namespace'),
    })
  })
  it('refuses a rule that reaches other components', () => {
    const wide = targets({ components: ['Deployment/front', 'Deployment/back'] })
    expect(refuse([wide], PLACE)?.message).toContain('Deployment/back')
  })
  it('refuses a rule that selects everything', () => {
    const { fault, ...rest } = targets()
    const everything = { ...rest, fault: { ...fault, target: { ...fault.target, selector: {} } } }
    expect(refuse([everything], PLACE)?.message).toContain('every pod')
  })
  it('refuses network faults, and only those, on pods that share the network of their node', () => {
    const pods = [pod('front-1', { hostNetwork: true })]
    expect(refuse([targets({ pods }, 'NetworkChaos')], PLACE)?.message).toContain("node's network")
    expect(refuse([targets({ pods })], PLACE)).toBeNull()
  })
  it('refuses a kind that the cluster does not have', () => {
    const { fault, ...rest } = targets()
    const clock = { ...fault, kind: 'TimeChaos', action: 'offset', parameters: { offsetMs: 5 } } as Fault
    expect(refuse([{ ...rest, fault: clock }], PLACE)).toEqual({
      reason: 'refused',
      message:
        'fault f1 is refused: the cluster has no TimeChaos (chaos-mesh.org/v1alpha1); choose another fault or cluster',
    })
  })

  const io = (parameters: object, more: Partial<Targets> = {}): Targets => {
    const { fault, ...rest } = targets(more)
    return { ...rest, fault: { ...fault, kind: 'IOChaos', action: 'fault', parameters } as Fault }
  }
  const volumeMounts = [{ name: 'data', mountPath: '/data/' }]
  const mounted = { pods: [pod('db-1', { containers: [{ name: 'db', volumeMounts }, { name: 'log' }] })] }
  it.each([
    [{ volumePath: '/data' }, null],
    [{ volumePath: '/data/', containers: ['db'] }, null],
    [{ volumePath: '/data/sub' }, /\/data\/sub is no mount path of a volume in pod db-1; it has \/data$/],
    [{ volumePath: '/data', containers: ['log'] }, /it has none$/],
    [{ volumePath: '/data', containers: ['web'] }, /pod db-1 has no container web/],
  ])('takes for the path of an IOChaos only a volume: %j', (parameters, words) => {
    const problem = refuse([io(parameters, mounted)], PLACE)
    if (words) expect(problem).toMatchObject({ reason: 'refused', message: expect.stringMatching(words) })
    else expect(problem).toBeNull()
  })

  it('refuses another side that is nobody, several components, or the network of a node', () => {
    const cut = (pods: Pod[], components: string[]) => targets({ peers: { pods, components } }, 'NetworkChaos')
    expect(refuse([cut([pod('back-1')], ['Deployment/back'])], PLACE)).toBeNull()
    expect(refuse([cut([], [])], PLACE)).toMatchObject({ reason: 'no-targets' })
    expect(refuse([cut([pod('back-1')], ['Deployment/a', 'Deployment/b'])], PLACE)?.message).toMatch(/one component/)
    expect(refuse([cut([pod('back-1', { hostNetwork: true })], ['Deployment/back'])], PLACE)?.message).toMatch(/node's/)
  })
})

describe('refuseForeign', () => {
  const own = [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'front' } }]
  const at = (mode: 'own' | 'in-place') => ({ place: { mode } as Place, namespace: 'shop' })
  const theirs = targets({ components: ['Deployment/theirs'] })
  it('lets nobody be hit in place who is not of the input', () => {
    expect(refuseForeign(at('in-place'), [targets(), theirs], own)).toMatchObject({
      reason: 'refused',
      message: expect.stringMatching(/Deployment\/theirs, which stands in namespace shop/),
    })
    expect(refuseForeign(at('in-place'), [targets()], own)).toBeNull()
  })
  it('has nothing to say where nobody else is', () => expect(refuseForeign(at('own'), [theirs], own)).toBeNull())
})
