import { resultsSchema, type Results } from '@ordeal/shared'

const window = { from: 0, to: 60_000 }
const windows = { pre: window, fault: window, post: window }
const injection = (target: string): Results['runs'][number]['injections'][number] => ({
  fault: 'f1',
  targets: [target],
  evidence: { record: 'Injected', effect: 'pod replaced' },
})

/** Results of a cycle on a bare Pod that became a Deployment. */
export function sampleResults(): Results {
  return resultsSchema.parse({
    schema: 'ordeal.results/v1',
    cycle: {
      id: 'cyc-aaaaaaaaaaaaaaaa',
      seed: 1,
      outcome: 'improved',
      reason: null,
      message: null,
      startedAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-01T00:00:05.000Z',
      cluster: { kind: 'embedded', version: 'v1.34.0', assumptions: [] },
    },
    summary: { application: 'shop', manifests: ['pod.yaml'], instructions: null },
    findings: [],
    hypothesis: {
      steadyStates: [],
      scenario: {
        event: 'one pod of Pod/web is lost',
        reason: 'nothing brings it back',
        faults: [
          [
            {
              id: 'f1',
              kind: 'PodChaos',
              action: 'pod-kill',
              target: { component: 'Pod/web', selector: { app: 'web' }, mode: 'one', count: null },
              parameters: {},
              durationMs: 60_000,
            },
          ],
        ],
      },
    },
    runs: [
      {
        revision: 0,
        verdict: 'refuted',
        reason: null,
        hypothesisHash: 'sha256:1',
        windows,
        injections: [injection('web')],
        checks: [
          {
            steadyState: 'web-answers',
            window: 'fault',
            outcome: 'failed',
            samples: 600,
            failed: 590,
            worst: 'no answer for 59 s',
            recoveredAfterMs: null,
          },
        ],
      },
      {
        revision: 1,
        verdict: 'held',
        reason: null,
        hypothesisHash: 'sha256:1',
        windows,
        injections: [injection('web-6d9f-x')],
        checks: [
          {
            steadyState: 'web-answers',
            window: 'fault',
            outcome: 'passed',
            samples: 600,
            failed: 3,
            worst: 'no answer for 0.3 s',
            recoveredAfterMs: 0,
          },
        ],
      },
    ],
    diagnosis: [
      {
        revision: 0,
        cause: 'nothing recreates the pod',
        component: 'Pod/web',
        path: ['Pod/web', 'Service/web'],
        evidence: [],
      },
    ],
    revisions: [
      {
        number: 1,
        parent: 0,
        kept: true,
        changes: [
          {
            kind: 'replace',
            object: 'Pod/web',
            path: '',
            before: null,
            after: null,
            file: 'pod.yaml',
            reason: 'a Deployment recreates lost pods',
            fixes: ['web-answers'],
          },
        ],
        cost: { replicas: 1, cpu: 0, memory: 0 },
        rejected: [],
      },
    ],
    score: { before: 41.26, after: 100, formula: '…' },
    agents: [],
    timings: { phases: {} },
    cost: { phases: {} },
  })
}
