import { type Pod } from '@ordeal/kubernetes'
import { plannedFault } from '../run/fault.js'
import { deploymentApp, faultOn } from '../testing/applications.js'
import { residueOf } from './residue.js'

const pod = (image: string, uid = 'u1'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', uid },
  spec: { containers: [{ name: 'web', image }] },
})
const stopped = (recoveredAt: number | null = 5) => {
  const fault = faultOn(deploymentApp('front', 1), { action: 'pod-failure' })
  const targets = { fault, pods: [pod('shop:1')], expected: 1, size: 1, components: [] }
  const planned = plannedFault(targets, { name: 'x', namespace: 'y', labels: {} }, null)
  return { ...planned, injection: { ...planned.injection, targets: ['a'], recoveredAt } }
}

describe('residueOf', () => {
  it('finds a pod that still has what the fault gave it', () => {
    expect(residueOf(stopped(), [pod('pause:3')])).toBe('container web of a still has the image pause:3')
  })
  it.each<[string, Pod[]]>([
    ['the pod is as it was', [pod('shop:1')]],
    ['another came in its place', [pod('shop:2', 'u2')]],
    ['it is gone', []],
  ])('finds nothing when %s', (_, now) => expect(residueOf(stopped(), now)).toBeNull())

  it('has nothing to add where the removal failed', () => {
    expect(residueOf(stopped(null), [pod('pause:3')])).toBeNull()
  })
})
