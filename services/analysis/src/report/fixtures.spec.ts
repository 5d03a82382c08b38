import { type Finding, type Results, resultsSchema, type Sample } from '@ordeal/shared'
import { at, checksOf, PODS, runOf, WEB } from './recorded-run.spec.js'
import { type ReportInput } from './report-input.js'

const HYPOTHESIS: NonNullable<Results['hypothesis']> = {
  steadyStates: [
    {
      id: WEB,
      statement: 'Users get an answer from Service/web',
      target: 'Service/web',
      probe: { kind: 'http', service: 'web', port: 80, path: '/', ratePerSecond: 10, timeoutMs: 2000 },
      threshold: {
        maxLatencyMs: 1000,
        fault: { minShare: 0.95, maxOutageMs: 5000 },
        post: { normalAfterMs: 5000, minShare: 0.99 },
      },
      baseline: { samples: 300, failed: 0, latencyMs: { p50: 4.2, p99: 7 } },
      negativeControl: {
        failed: true,
        how: 'all pods of Pod/web deleted: 0 of 50 requests answered',
        method: 'target-broken',
      },
    },
    {
      id: PODS,
      statement: 'A pod of web is ready',
      target: 'Pod/web',
      probe: { kind: 'k8s', selector: { app: 'web' }, minReady: 1, periodMs: 1000 },
      threshold: {
        maxLatencyMs: null,
        fault: { minShare: 0.9, maxOutageMs: 10_000 },
        post: { normalAfterMs: 5000, minShare: 1 },
      },
      baseline: { samples: 30, failed: 0, latencyMs: null },
      negativeControl: { failed: true, how: 'prober pointed at a stub without ready pods', method: 'stub' },
    },
  ],
  scenario: {
    event: 'A pod of web fails',
    reason: 'Every request passes web and nothing stands in for it.',
    faults: [
      [
        {
          id: 'kill-web',
          kind: 'PodChaos',
          action: 'pod-kill',
          parameters: { gracePeriodSeconds: 0 },
          durationMs: 60_000,
          target: { component: 'Pod/web', selector: { app: 'web' }, mode: 'one', count: null },
        },
      ],
    ],
  },
}

export const FINDINGS: Finding[] = [
  {
    rule: 'mutable-image-tag',
    severity: 'note',
    object: 'Pod/web',
    path: '/spec/containers/0/image',
    message: 'The tag 1.27 can move to another image.',
    file: 'web.yaml',
    line: 12,
  },
  {
    rule: 'bare-pod',
    severity: 'error',
    object: 'Pod/web',
    path: '',
    message: 'Nothing recreates this pod when it is lost.',
    file: 'web.yaml',
    line: 1,
  },
  {
    rule: 'no-readiness-probe',
    severity: 'warning',
    object: 'Pod/web',
    path: '/spec/containers/0',
    message: 'Traffic reaches the container before it can answer.',
    file: 'web.yaml',
    line: 10,
  },
]

const PATCH = `--- a/web.yaml
+++ b/web.yaml
@@ -1,15 +1,29 @@
-apiVersion: v1
-kind: Pod
+apiVersion: apps/v1
+kind: Deployment
 metadata:
   name: web
   labels:
     app: web
 spec:
-  containers:
-    - name: nginx
-      image: nginx:1.27
-      ports:
-        - containerPort: 80
+  # two, so that one can be lost
+  replicas: 2
+  selector:
+    matchLabels:
+      app: web
+  template:
+    metadata:
+      labels:
+        app: web
+    spec:
+      containers:
+        - name: nginx
+          image: nginx:1.27
+          ports:
+            - containerPort: 80
+          readinessProbe:
+            httpGet:
+              path: /
+              port: 80
 ---
 apiVersion: v1
 kind: Service
--- /dev/null
+++ b/web-pdb.yaml
@@ -0,0 +1,9 @@
+apiVersion: policy/v1
+kind: PodDisruptionBudget
+metadata:
+  name: web
+spec:
+  minAvailable: 1
+  selector:
+    matchLabels:
+      app: web
`

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } }
const replaced: Results['revisions'][number]['changes'][number] = {
  kind: 'replace',
  object: 'Pod/web',
  path: '',
  before: { kind: 'Pod' },
  after: DEPLOYMENT,
  file: 'web.yaml',
  reason: 'A Deployment recreates a lost pod; a bare Pod stays away.',
  fixes: [WEB, PODS, 'bare-pod'],
}
const replicas: typeof replaced = {
  kind: 'edit',
  object: 'Deployment/web',
  path: '/spec/replicas',
  before: undefined,
  after: 2,
  file: 'web.yaml',
  reason: 'With two pods the other one answers while the lost one is replaced.',
  fixes: [WEB],
}
const budget: typeof replaced = {
  kind: 'create',
  object: 'PodDisruptionBudget/web',
  path: '',
  before: undefined,
  after: { kind: 'PodDisruptionBudget' },
  file: 'web-pdb.yaml',
  reason: 'A drain of a node may take one pod at a time, never both.',
  fixes: [WEB],
}

const COST = { replicas: 0, cpu: 0, memory: 0 }
const R0: Results['revisions'][number] = { number: 0, parent: null, kept: false, changes: [], cost: COST, rejected: [] }
const R1: typeof R0 = { ...R0, number: 1, parent: 0, changes: [replaced] }
const R2: typeof R0 = {
  ...R0,
  number: 2,
  parent: 1,
  changes: [replaced, replicas, budget],
  cost: { replicas: 1, cpu: 0.1, memory: 64 * 1024 ** 2 },
  rejected: [{ idea: 'HorizontalPodAutoscaler for web', why: 'It scales with load; the loss of a pod is no load.' }],
}

const BROKEN = runOf({
  revision: 0,
  outages: [[0.1, 90]],
  pods: 1,
  worst: 'no answer for 59.9 s; mostly: connection refused',
})
const PARTIAL = runOf({ revision: 1, outages: [[0.1, 7.2]], pods: 1, worst: '88.2 % good, longest outage 7.1 s' })
const HELD = runOf({ revision: 2, outages: [[0.1, 0.4]], pods: 2, worst: '3 requests lost' })

const base: Results = {
  schema: 'ordeal.results/v1',
  cycle: {
    id: 'cyc_01k9a7q4',
    seed: 7,
    outcome: 'improved',
    reason: null,
    message: null,
    startedAt: '2026-11-30T09:34:13.000Z',
    finishedAt: '2026-11-30T09:34:25.400Z',
    cluster: {
      kind: 'embedded',
      version: 'v1.34.0',
      assumptions: ['nginx:1.27 answers on its ports 2 s after it starts (default of images that are not known).'],
    },
  },
  summary: { application: 'nginx', manifests: ['web.yaml'], instructions: null },
  findings: FINDINGS.map(({ file: _file, line: _line, ...rest }) => rest),
  hypothesis: HYPOTHESIS,
  runs: [BROKEN.judged, PARTIAL.judged, HELD.judged],
  diagnosis: [
    {
      revision: 0,
      cause: 'Pod/web is a bare pod: nothing recreates it once it is lost',
      component: 'Pod/web',
      path: ['Pod/web', 'Service/web'],
      evidence: ['Pod web was deleted at +0.1 s and never came back', 'Service/web had no endpoints from +0.1 s on'],
    },
  ],
  revisions: [R0, R1, { ...R2, kept: true }],
  score: {
    before: 22.2,
    after: 99.6,
    formula:
      '100 · Σ wᵢ·shareᵢ / Σ wᵢ, shareᵢ = samples inside their threshold over the fault and post windows, wᵢ = 3 for what a user sees, 1 for a component',
  },
  agents: [
    { name: 'draft-steady-states', provenance: 'expert', calls: 1, inputTokens: 0, outputTokens: 0, costUsd: 0, ms: 3 },
    {
      name: 'propose-changes',
      provenance: 'repaired',
      calls: 2,
      inputTokens: 4210,
      outputTokens: 612,
      costUsd: 0.0142,
      ms: 5230,
    },
  ],
  timings: {
    phases: {
      preprocess: 320,
      hypothesis: 1900,
      experiment: 2800,
      'experiment r1': 2400,
      'experiment r2': 2400,
      report: 90,
    },
  },
  cost: { phases: { 'improvement r1': 0.0142 } },
}

const ASSUMPTIONS = ['Users send 10 requests a second to Service/web.', 'One pod of one workload fails at a time.']

/** A report's input of our own making; `cycle` and `results` replace parts of the improved one. */
export function inputOf(
  results: Partial<Results>,
  cycle: Partial<Results['cycle']>,
  more: Partial<ReportInput> = {},
): ReportInput {
  return {
    results: resultsSchema.parse({ ...base, ...results, cycle: { ...base.cycle, ...cycle } }),
    runs: [BROKEN.run, PARTIAL.run, HELD.run],
    findings: FINDINGS,
    patch: null,
    assumptions: ASSUMPTIONS,
    verdicts: [],
    command: 'ordeal run examples/nginx --seed 7',
    ...more,
  }
}

const verdictOf = (
  { judged }: typeof BROKEN,
  score: number,
  better: boolean | null,
): NonNullable<ReportInput['verdicts']>[number] => ({
  revision: judged.revision,
  verdict: judged.verdict,
  reason: null,
  message: null,
  checks: judged.checks,
  score,
  comparison: better === null ? null : { better, regressions: [] },
})

export const improved = (): ReportInput =>
  inputOf(
    {},
    {},
    {
      patch: PATCH,
      verdicts: [verdictOf(BROKEN, 22.2, null), verdictOf(PARTIAL, 92.1, true), verdictOf(HELD, 99.6, true)],
    },
  )

export const resilient = (): ReportInput => {
  const { run, judged } = runOf({ revision: 0, outages: [[0.1, 0.3]], pods: 3, worst: '2 requests lost' })
  return inputOf(
    {
      runs: [judged],
      revisions: [{ ...R0, kept: true }],
      diagnosis: [],
      findings: [],
      score: { ...base.score, before: 99.8, after: 99.8 },
      summary: {
        application: 'shop',
        manifests: ['k8s/web.yaml', 'k8s/db.yaml'],
        instructions: 'A pod of the shop fails during a sale.',
      },
    },
    { outcome: 'resilient', cluster: { kind: 'kubernetes', version: 'v1.35.2', assumptions: [] } },
    { runs: [run], findings: [] },
  )
}

export const vulnerable = (): ReportInput =>
  inputOf(
    {
      runs: [BROKEN.judged, PARTIAL.judged],
      revisions: [R0, { ...R1, rejected: R2.rejected }],
      score: { ...base.score, before: 22.2, after: 92.1 },
    },
    { outcome: 'vulnerable' },
    { verdicts: [verdictOf(BROKEN, 22.2, null), verdictOf(PARTIAL, 92.1, true)] },
  )

/** A baseline that was broken: no run at all, and no hypothesis. */
export const inconclusive = (): ReportInput =>
  inputOf(
    {
      hypothesis: null,
      runs: [],
      revisions: [],
      diagnosis: [],
      agents: [],
      score: { ...base.score, before: null, after: null },
    },
    {
      outcome: 'inconclusive',
      reason: 'baseline-broken',
      message: 'Pod/web never became ready: image nginx:1.72 cannot be pulled.',
    },
    { runs: [], assumptions: [] },
  )

/** A run whose fault had no effect. */
export const silent = (): ReportInput => {
  const { run, judged } = runOf({ revision: 0, outages: [], pods: 1, worst: '' })
  const evidence = { record: 'web-kill: AllInjected at +0 s', effect: null }
  const reason = 'silent-injection'
  return inputOf(
    {
      runs: [
        { ...judged, verdict: 'inconclusive', reason, injections: judged.injections.map((i) => ({ ...i, evidence })) },
      ],
      revisions: [R0],
      diagnosis: [],
      score: { ...base.score, before: null, after: null },
    },
    { outcome: 'inconclusive', reason, message: 'fault kill-web showed no effect at its targets' },
    { runs: [{ ...run, injections: run.injections.map((i) => ({ ...i, evidence })) }] },
  )
}

export const cancelled = (): ReportInput =>
  inputOf(
    { runs: [], revisions: [], diagnosis: [], score: { ...base.score, before: null, after: null } },
    { outcome: 'cancelled', reason: null, message: null },
    { runs: [] },
  )

export const failed = (): ReportInput =>
  inputOf(
    { runs: [], revisions: [], diagnosis: [], hypothesis: null, findings: [] },
    { outcome: 'failed', reason: 'cluster-lost', message: 'The embedded cluster ended.' },
    { runs: [], findings: [] },
  )

/** As large as a cycle may become. */
export function huge(runs: number, lanes: number, samples: number): ReportInput {
  const id = (lane: number): string => `lane-${lane}`
  const state = HYPOTHESIS.steadyStates[0]
  const series = (lane: number): Sample[] =>
    Array.from({ length: samples }, (_, i) => {
      const ok = (i * 31 + lane * 17) % 7 !== 0
      return {
        at: at(-20 + (110 * i) / samples),
        ok,
        latencyMs: ok ? ((i * 7919 + lane) % 997) / 3 : null,
        value: null,
        error: ok ? null : 'timeout',
      }
    })
  const all = Array.from({ length: lanes }, (_, lane) => series(lane))
  const record = Object.fromEntries(all.map((each, lane) => [id(lane), each]))
  const checks = all.flatMap((each, lane) => checksOf(id(lane), each, 'no answer for 0.2 s'))
  return inputOf(
    {
      hypothesis: state ? { ...HYPOTHESIS, steadyStates: all.map((_, lane) => ({ ...state, id: id(lane) })) } : null,
      runs: Array.from({ length: runs }, (_, revision) => ({ ...BROKEN.judged, revision, checks })),
    },
    { outcome: 'vulnerable' },
    { runs: Array.from({ length: runs }, (_, revision) => ({ ...BROKEN.run, revision, samples: record })) },
  )
}
