import { fakeScreen } from '../testing/fake-screen.js'
import { sampleResults } from '../testing/sample-results.js'
import { type Plan, renderPlan } from './render-plan.js'

const source = { file: 'pod.yaml', line: 1 }
const scenario = sampleResults().hypothesis?.scenario as Plan['scenario']

const plan = (more: Partial<Plan> = {}): Plan => ({
  schema: 'ordeal.plan/v1',
  application: 'shop',
  cluster: 'embedded',
  graph: {
    application: 'shop',
    workloads: [],
    services: [
      { id: 'Service/web', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 80 }], workloads: [], source },
    ],
    edges: [],
    entryPoints: ['Service/web'],
  },
  clusterScoped: [],
  findings: [{ rule: 'bare-pod', severity: 'warning', object: 'Pod/web', path: '', message: 'A bare Pod', ...source }],
  steadyStates: [
    {
      id: 'web-answers',
      statement: 'Whoever calls web gets a good answer',
      target: 'Service/web',
      weight: 3,
      probe: { kind: 'http', service: 'web', port: 80, path: '/', ratePerSecond: 10, timeoutMs: 2000 },
      threshold: {
        maxLatencyMs: null,
        fault: { minShare: 0.95, maxOutageMs: 5000 },
        post: { normalAfterMs: 5000, minShare: 0.98 },
      },
    },
  ],
  scenario,
  assumptions: ['one pod of one workload fails at a time'],
  ...more,
})

describe('plan', () => {
  it('says what would be hit and checked, what is weak and what is assumed', () => {
    expect(renderPlan(plan(), fakeScreen())).toBe(`shop: 0 workloads, 1 service, entered by Service/web

What would be hit
  pod-kill on one pod of Pod/web, for 60s
  nothing brings it back

What would be checked
  Whoever calls web gets a good answer
    HTTP web:80/, 10 requests/s, time-out 2s
    ≥ 95 % good during the fault, no outage over 5s; normal from 5s after it

Weaknesses that the manifests show
  warning: Pod/web (pod.yaml:1): A bare Pod

What is assumed
  one pod of one workload fails at a time

Nothing was injected. Checks that cannot fail are left out once they have been measured.
`)
  })

  it('numbers the steps of a scenario that has several', () => {
    const two = { ...scenario, faults: [...scenario.faults, ...scenario.faults] }
    const text = renderPlan(plan({ scenario: two }), fakeScreen())
    expect(text).toContain('step 1: pod-kill')
    expect(text).toContain('step 2: pod-kill')
  })

  it('names some entry points of many and counts the rest', () => {
    const entryPoints = Array.from({ length: 7 }, (_, i) => `Service/s${i}`)
    const text = renderPlan(plan({ graph: { ...plan().graph, entryPoints } }), fakeScreen())
    expect(text.replace(/\s+/g, ' ')).toContain('Service/s4 and 2 more')
    expect(text).not.toContain('Service/s5')
  })
})
