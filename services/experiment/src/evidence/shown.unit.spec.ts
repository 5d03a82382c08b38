import { type Pod } from '@ordeal/kubernetes'
import { type Fault } from '@ordeal/shared'
import { plannedFault, type RunFault } from '../run/fault.js'
import { deploymentApp, faultOn } from '../testing/applications.js'
import { withPodsSeen, withShown } from './shown.js'

const app = deploymentApp('front', 2)
const pod = (name: string, { uid = `uid-${name}`, restarts = 0 } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid },
  spec: { containers: [] },
  status: {
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'web', ready: true, restartCount: restarts }],
  },
})
const [a, b] = [pod('a'), pod('b')]
const hit = (fault: Partial<Fault>): RunFault => {
  const targets = { fault: faultOn(app, fault), pods: [a, b], expected: 2, size: 2, components: [] }
  const planned = plannedFault(targets, { name: 'x', namespace: 'y', labels: {} }, null)
  return { ...planned, injection: { ...planned.injection, targets: ['a', 'b'] } }
}
const busy: Partial<Fault> = { kind: 'StressChaos', action: 'cpu' }
const cut: Partial<Fault> = { kind: 'NetworkChaos', action: 'partition' }

describe('withShown', () => {
  it('is an effect only when it showed at every target', () => {
    const half = withShown(hit(busy), { a: 'a is busy' })
    expect(half.injection.evidence).toMatchObject({ effect: null, shown: { a: 'a is busy' } })
    expect(withShown(half, { b: 'b is busy' }).injection.evidence.effect).toBe('a is busy, b is busy')
  })
  it('is none without a target', () => {
    const nobody = hit(busy)
    const { evidence } = withShown({ ...nobody, injection: { ...nobody.injection, targets: [] } }, {}).injection
    expect(evidence.effect).toBeNull()
  })
})

describe('withPodsSeen', () => {
  const seen = (fault: Partial<Fault>, now: Pod[]) => withPodsSeen(hit(fault), now).injection

  it('takes the end of pods for the effect of a fault that ends them', () => {
    expect(seen({}, [b])).toMatchObject({ evidence: { effect: null, shown: { a: 'a is gone' } } })
    const { evidence, replaced } = seen({}, [])
    expect([evidence.effect, replaced]).toEqual(['a is gone, b is gone', undefined])
  })
  it('notices that a target was replaced, and does not take it for an effect', () => {
    const { evidence, replaced } = seen(cut, [pod('a', { uid: 'other' }), b])
    expect(evidence.shown).toEqual({})
    expect(replaced).toEqual([{ pod: 'a', what: 'it is gone, and what came in its place was not hit' }])
  })
  it('notices a restart that ends what lived in the processes, and only that', () => {
    const restarted = [pod('a', { restarts: 1 }), b]
    expect(seen(busy, restarted)).toMatchObject({
      evidence: { shown: { a: 'a restarted 1 time' } },
      replaced: [{ pod: 'a', what: expect.stringContaining('ended with the processes') }],
    })
    expect(seen(cut, restarted).replaced).toBeUndefined()
    expect(seen({ action: 'container-kill' }, restarted).replaced).toBeUndefined()
  })
})
