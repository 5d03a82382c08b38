import { type Pod } from '@ordeal/kubernetes'
import { remedyFor, stateOf } from './prober-state.js'

const pod = (status: Pod['status'], requests?: Record<string, string>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'prober-r0', namespace: 'x-prober' },
  spec: { containers: [{ name: 'prober', image: 'ordeal/prober:1', resources: { requests } }] },
  status,
})
const unscheduled = pod(
  {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes are available: 1 Insufficient cpu.' }],
  },
  { cpu: '200m', memory: '64Mi' },
)
const without = pod({
  phase: 'Pending',
  containerStatuses: [
    {
      name: 'prober',
      ready: false,
      restartCount: 0,
      image: 'ordeal/prober:1',
      state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } },
    },
  ],
})

describe('what is said of a prober that does not start', () => {
  it.each([
    [
      unscheduled,
      'its pod is Pending (0/1 nodes are available: 1 Insufficient cpu.)',
      /asks for 200m of cpu, 64Mi of memory/,
    ],
    [without, 'its pod is Pending (Back-off pulling image)', /^Bring its image ordeal\/prober:1 .*--prober-image/],
    [pod({ phase: 'Pending' }), 'its pod is Pending', /^Look at pod x-prober\/prober-r0/],
    [pod({ phase: 'Succeeded' }), 'its pod is Succeeded', /^See that ordeal\/prober:1 is the prober's image/],
    [null, 'its pod is gone', /^See who removes/],
  ])('has the words of the cluster, and what to do', (seen, state, remedy) => {
    expect(stateOf(seen)).toBe(state)
    expect(remedyFor(seen, 'prober-r0')).toMatch(remedy)
  })
})
