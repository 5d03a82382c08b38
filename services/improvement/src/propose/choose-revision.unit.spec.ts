import { type Change, type Diagnosis, type Graph, type Revision, type Verdict, type Workload } from '@ordeal/shared'
import { sampleWorkload } from '@ordeal/shared/testing'
import { type JsonMap, type KubernetesObject } from '@ordeal/kubernetes'
import { baseOf, chooseRevisions, stack, type Attempt, type ChoiceInput } from './choose-revision.js'

const container = { name: 'web', image: 'shop:1', ports: [{ containerPort: 8080 }] }

const deployment = (replicas: number | undefined, more: JsonMap = {}): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'shop' },
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    selector: { matchLabels: { app: 'shop' } },
    template: { metadata: { labels: { app: 'shop' } }, spec: { containers: [{ ...container, ...more }] } },
  },
})

const workload = (more: Partial<Workload> = {}): Workload =>
  sampleWorkload('shop', { replicas: 1, readiness: false, ...more })

const graphWith = (w: Workload): Graph => ({
  application: 'shop',
  workloads: [w],
  services: [],
  edges: [],
  entryPoints: [],
})

const diagnosis: Diagnosis = { revision: 0, cause: 'single pod', component: 'Deployment/shop', path: [], evidence: [] }

const verdict = (revision: number, more: Partial<Verdict> = {}): Verdict => ({
  revision,
  verdict: 'refuted',
  reason: null,
  message: null,
  checks: [
    {
      steadyState: 'shop-answers',
      window: 'fault',
      outcome: 'failed',
      samples: 600,
      failed: 200,
      worst: '',
      recoveredAfterMs: null,
    },
  ],
  score: 50,
  comparison: revision === 0 ? null : { better: false, regressions: [] },
  ...more,
})

/** What would be tried first. */
const firstOf = (
  input: ChoiceInput,
): { changes: Change[] | null; rejected: ReturnType<typeof chooseRevisions>['rejected'] } => {
  const { open, rejected } = chooseRevisions(input)
  return { changes: open[0] ?? null, rejected }
}

const choice = (object: KubernetesObject, own: Workload, attempts: Attempt[] = []): ChoiceInput => ({
  graph: graphWith(own),
  objects: [object],
  diagnosis,
  verdict: verdict(0),
  attempts,
  component: own,
  faults: [],
})

const attempt = (number: number, changes: Change[], own: Partial<Verdict> = {}): Attempt => {
  const revision: Revision = { number, parent: 0, changes, cost: { replicas: 0, cpu: 0, memory: 0 }, rejected: [] }
  return { revision, verdict: verdict(number, own) }
}

const edit = (path: string, before: unknown, after: unknown): Change => ({
  kind: 'edit',
  object: 'Deployment/shop',
  path,
  before,
  after,
  file: null,
  reason: 'because',
  fixes: [],
})

describe('chooseRevision', () => {
  it('offers a second pod to a single one that tells when it is ready', () => {
    const ready = deployment(1, { readinessProbe: { httpGet: { path: '/', port: 8080 } } })
    const { changes } = firstOf(choice(ready, workload({ readiness: true })))
    expect(changes).toMatchObject([
      { kind: 'edit', path: '/spec/replicas', before: 1, after: 2, fixes: ['shop-answers'] },
    ])
  })

  it('does not offer twice what was tried, and says why it was undone', () => {
    const ready = deployment(1, { readinessProbe: { httpGet: { path: '/', port: 8080 } } })
    const own = workload({ readiness: true })
    const first = firstOf(choice(ready, own)).changes ?? []
    const second = firstOf(choice(ready, own, [attempt(1, first)]))
    expect(second.changes).toMatchObject([{ path: '/spec/replicas', after: 3 }])
    expect(second.rejected).toEqual([
      { idea: 'edit Deployment/shop /spec/replicas', why: 'it was not enough: score 50' },
    ])
    const third = firstOf(choice(ready, own, [attempt(1, first), attempt(2, second.changes ?? [])]))
    expect(third.changes).toBeNull()
  })

  it('asks with the liveness probe when it adds a readiness probe', () => {
    const alive = deployment(3, { livenessProbe: { httpGet: { path: '/live', port: 8080 }, periodSeconds: 10 } })
    const { changes } = firstOf(choice(alive, workload({ replicas: 3 })))
    expect(changes).toMatchObject([
      {
        path: '/spec/template/spec/containers/0/readinessProbe',
        after: { httpGet: { path: '/live', port: 8080 }, periodSeconds: 2 },
      },
    ])
  })

  it('puts a Deployment in the place of a bare Pod, with its labels and containers, and lets it be restarted', () => {
    const pod: KubernetesObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'shop', labels: { app: 'shop' } },
      spec: { restartPolicy: 'Never', containers: [container] },
    }
    const own = workload({ id: 'Pod/shop', managed: false })
    const { changes } = firstOf({ ...choice(pod, own), diagnosis: { ...diagnosis, component: 'Pod/shop' } })
    expect(changes).toHaveLength(1)
    expect(changes?.[0]).toMatchObject({
      kind: 'replace',
      object: 'Pod/shop',
      after: {
        kind: 'Deployment',
        metadata: { name: 'shop', labels: { app: 'shop' } },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: 'shop' } },
          template: { metadata: { labels: { app: 'shop' } }, spec: { containers: [container] } },
        },
      },
    })
    expect(JSON.stringify(changes?.[0]?.after)).not.toContain('restartPolicy')
  })

  it('never scales what keeps its own data, and says so', () => {
    const set = { ...deployment(1, { readinessProbe: {} }), kind: 'StatefulSet' }
    const own = workload({ id: 'StatefulSet/shop', stateful: true, readiness: true })
    const { changes, rejected } = firstOf({
      ...choice(set, own),
      diagnosis: { ...diagnosis, component: own.id },
    })
    expect(changes).toBeNull()
    expect(rejected[0]?.why).toContain('more databases, not redundancy')
  })

  it('has nothing to offer when the component is not among the objects', () => {
    expect(firstOf({ ...choice(deployment(1), workload()), component: undefined })).toEqual({
      changes: null,
      rejected: [],
    })
  })
})

describe('baseOf', () => {
  it('builds on the newest attempt that gained without a regression, never on one that made something fail', () => {
    const gained = attempt(1, [], { comparison: { better: true, regressions: [] } })
    const regressed = attempt(2, [], { comparison: { better: true, regressions: ['b in the fault window'] } })
    expect(baseOf([gained, regressed])).toBe(gained)
    expect(baseOf([regressed])).toBeNull()
    expect(baseOf([])).toBeNull()
  })
})

describe('stack', () => {
  it('lets a later edit of a path take the place of an earlier one and keeps the first before', () => {
    const stacked = stack([edit('/spec/replicas', 1, 2), edit('/spec/x', 'a', 'b')], [edit('/spec/replicas', 2, 3)])
    expect(stacked.map((c) => [c.path, c.before, c.after])).toEqual([
      ['/spec/x', 'a', 'b'],
      ['/spec/replicas', 1, 3],
    ])
  })
})
