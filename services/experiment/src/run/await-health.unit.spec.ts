import { type Cluster, type Controller } from '@ordeal/kubernetes'
import { DeadlineError } from '@ordeal/shared'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { deploymentApp, hypothesisFor } from '../testing/applications.js'
import { awaitHealth, worksAtLast } from './await-health.js'

const SIZE = 2
const UNTIL = 10_000

/** A cluster whose Deployment is, second by second, as `course` has it, and stays as it is in the end. */
function sandboxWith(course: readonly (Controller | null)[]): Sandbox {
  let now = 0
  const at = (second: number) => course[Math.min(second, course.length - 1)] ?? null
  const cluster = {
    objects: {
      get: () => Promise.resolve(at(now / 1000)),
      path: () => Promise.resolve('/deployments'),
    },
    clock: {
      now: () => Promise.resolve(now),
      waitFor: async ({ what, withinMs, check }: { what: string; withinMs: number; check: () => Promise<unknown> }) => {
        for (const deadline = now + withinMs; !(await check()); now += 1000) {
          if (now >= deadline) throw new DeadlineError(what, withinMs)
        }
      },
    },
  } as unknown as Cluster
  return { cluster, context: { signal: null }, namespace: 'box', podsPath: '/pods' } as unknown as Sandbox
}

const deployment = (wanted: number, ready: number): Controller => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'front' },
  spec: { replicas: wanted },
  status: { replicas: wanted, updatedReplicas: wanted, readyReplicas: ready },
})

describe('a component that was hit', () => {
  it.each([
    ['that is well', [deployment(2, 2)], 0, null],
    ['that comes back', [deployment(2, 1), deployment(2, 1), deployment(2, 2)], 2000, null],
    ['that stays away', [deployment(2, 1)], null, '1 of 2 pods are ready'],
    ['that is gone', [null], null, 'it is gone'],
    ['of which an autoscaler wants more than there is room for', [deployment(5, 2)], 0, null],
    [
      'of which an autoscaler wants more, and that is not what it was',
      [deployment(5, 1)],
      null,
      '1 of 5 pods are ready',
    ],
  ] as const)('%s', async (_, course, healthyAfterMs, problem) => {
    const hits = [{ component: 'Deployment/front', size: SIZE }]
    expect(await awaitHealth(sandboxWith(course), hits, { since: 0, until: UNTIL })).toEqual([
      { component: 'Deployment/front', healthyAfterMs, problem },
    ])
  })
})

describe('what is measured works at last', () => {
  const [state] = hypothesisFor(deploymentApp('front', 1)).steadyStates
  const samples = (...good: boolean[]) =>
    good.map((ok, n) => ({ at: n * 100, ok, latencyMs: 1, value: null, error: ok ? null : 'no answer' }))
  it.each([
    ['when the last samples are good', samples(false, true, true, true), true],
    ['when one of them is bad', samples(true, true, true, false), true],
    ['but not when all of them are bad', samples(true, false, false, false), false],
    ['nor when there are none', samples(), false],
  ])('%s', (_, own, works) => {
    const states = state ? [state] : []
    expect(worksAtLast(states, { 'front-answers': own })).toBe(works)
  })
})
