import { type Script } from '@ordeal/agents/testing'

/** What a model that understands `examples/nginx` would say, agent by agent. */
export const GOOD_ANSWERS: Script = {
  'instruction-filter': [
    {
      failureModel: {
        event: null,
        pods: null,
        together: null,
        workloads: null,
        spared: null,
        latencyMs: null,
        durationMs: 40_000,
      },
      tolerances: { minShare: null, maxOutageMs: null, normalAfterMs: null },
      traffic: { requestsPerSecond: null, paths: [] },
      notUnderstood: ['make me a sandwich'],
    },
  ],
  'manifest-summary': [
    { description: 'A web server behind a service.', roles: [{ object: 'Pod/web', role: 'serves pages' }] },
  ],
  'application-guess': [{ paths: [] }],
  weaknesses: [{ weaknesses: [{ object: 'Pod/web', message: 'Its pages are lost with the pod.' }] }],
  'steady-state-draft': [
    {
      steadyStates: [
        {
          object: 'Service/web',
          statement: 'Readers get their page',
          path: '/',
          minShare: 0.97,
          maxOutageMs: 4000,
          normalAfterMs: 4000,
        },
      ],
    },
  ],
  'probe-writing': [
    {
      scripts: [
        {
          name: 'page-has-pods',
          statement: 'Some pod stands behind the page',
          service: 'web',
          code: "const answer = http.request('/'); assert(answer.ok, 'status ' + answer.status); sample(k8s.list('pods').length)",
        },
      ],
    },
  ],
  completeness: [{ missing: [] }],
  threshold: [{ thresholds: [] }],
  'fault-scenario': [{ event: 'the pod dies', reason: 'A bare pod does not come back.', thenAlso: [] }],
  'fault-parameters': [{ faults: [] }],
  timeline: [{ preMs: 12_000, postMs: 20_000 }],
  diagnosis: [
    { cause: 'Nobody brings the bare pod back.', component: 'Pod/web', evidence: ['no answer after the kill'] },
  ],
  improvement: [{ changes: [] }],
  reflection: [{ lesson: 'It was not enough.' }],
  're-binding': [{ workload: null }],
  summary: [{ text: 'The page is gone with its only pod; two pods of a Deployment keep it up.' }],
}
