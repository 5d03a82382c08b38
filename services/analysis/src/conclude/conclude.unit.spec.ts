import { createModels } from '@ordeal/agents'
import { readProject, redact } from '@ordeal/kubernetes'
import {
  cycleOptionsSchema,
  resultsSchema,
  type Bundle,
  type Change,
  type Revision,
  type Run,
  type Verdict,
} from '@ordeal/shared'
import { createMemoryContext, silentLogger, stageArtefacts, type MemoryContext } from '@ordeal/shared/testing'
import { z } from 'zod'
import { conclude, concludePlainly } from './conclude.phase.js'
import { afterFailure, afterVerdict } from './conclusion.js'

const MANIFEST = `# the shop's front
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 1 # one will do
  selector:
    matchLabels: {app: shop}
  template:
    metadata:
      labels: {app: shop}
    spec:
      containers:
        - name: shop
          image: shop:1
          env:
            - {name: DB_PASSWORD, value: "opensesame-42"}
`
const input: Bundle = { files: [{ path: 'shop.yaml', content: MANIFEST }] }

const twoPods: Change = {
  kind: 'edit',
  object: 'Deployment/shop',
  path: '/spec/replicas',
  before: 1,
  after: 2,
  file: null,
  reason: 'With 2 pods, the other answers.',
  fixes: ['shop-answers'],
}

const verdictOf = (revision: number, verdict: Verdict['verdict'], more: Partial<Verdict> = {}): Verdict => ({
  revision,
  verdict,
  reason: null,
  message: null,
  checks: [],
  score: verdict === 'held' ? 100 : 60,
  comparison: null,
  ...more,
})

const windows = { pre: { from: 0, to: 1 }, fault: { from: 1, to: 2 }, post: { from: 2, to: 3 } }
const runOf = (revision: number): Run => ({
  revision,
  hypothesisHash: 'sha256:frozen',
  windows,
  injections: [],
  samples: {},
  observations: [],
  problem: null,
})

/** A cycle whose r0 was refuted and whose r1, with a second pod, held. */
async function improvedCycle(changes: Change[] = [twoPods]): Promise<MemoryContext> {
  const context = createMemoryContext({ revision: 1, phase: 'judge' })
  const { artefacts, vault } = context
  const { objects, secrets } = redact(
    (await readProject(input, { subpath: null, profile: null, values: [] })).objects.map((o) => o.object),
  )
  await vault.put('input', input)
  await vault.put('secrets', secrets)
  await artefacts.put('cycle-start', { startedAt: '2026-01-01T00:00:00.000Z' })
  await artefacts.put('options', cycleOptionsSchema.parse({ seed: 7 }))
  await artefacts.put('summary', { application: 'shop', manifests: ['shop.yaml'] })
  await artefacts.put('manifests', { objects }, { revision: 0 })
  const revision: Revision = { number: 1, parent: 0, changes, cost: { replicas: 1, cpu: 0, memory: 0 }, rejected: [] }
  await artefacts.put('revision', revision, { revision: 1 })
  for (const [n, verdict] of [verdictOf(0, 'refuted'), verdictOf(1, 'held')].entries()) {
    await artefacts.put('run', runOf(n), { revision: n })
    await artefacts.put('verdict', verdict, { revision: n })
  }
  return context
}

const byRules = createModels({ endpoint: null, model: null }, silentLogger)
const improved = { outcome: 'improved', reason: null, message: null } as const

describe('conclude', () => {
  it('hands back the user’s own file with the change in it, and says where it landed', async () => {
    const context = await improvedCycle()
    const [event] = await conclude(context, improved, byRules)
    expect(event).toMatchObject({ type: 'cycle.concluded', data: { outcome: 'improved' } })
    const bundle = await context.vault.get('improved', z.any())
    expect(bundle.files).toEqual([
      { path: 'shop.yaml', content: MANIFEST.replace('replicas: 1 # one', 'replicas: 2 # one') },
    ])
    const results = await context.artefacts.latest('results', resultsSchema)
    expect(results?.revisions).toMatchObject([
      { number: 0, kept: false },
      { number: 1, kept: true, changes: [{ path: '/spec/replicas', file: 'shop.yaml' }] },
    ])
    expect(results?.score).toMatchObject({ before: 60, after: 100 })
    expect(results?.cycle).toMatchObject({ seed: 7, outcome: 'improved', startedAt: '2026-01-01T00:00:00.000Z' })
  })

  it('tells of faults that were made stronger, and of targets that were lost to them', async () => {
    const context = await improvedCycle()
    const evidence = { record: 'injected into shop-1', effect: 'shop-1 answers late' }
    const replaced = [{ pod: 'shop-1', what: 'it is gone, and what came in its place was not hit' }]
    const hit = { fault: 'f1', targets: ['shop-1'], evidence, injectedAt: 1, recoveredAt: 2, replaced }
    await context.artefacts.put(
      'run',
      { ...runOf(2), intensity: { step: 1, of: 3 }, injections: [hit] },
      { revision: 2 },
    )
    await context.artefacts.put('verdict', verdictOf(2, 'held'), { revision: 2 })
    await conclude(context, improved, byRules)
    const results = await context.artefacts.latest('results', resultsSchema)
    expect(results?.runs[2]).toMatchObject({ intensity: { step: 1, of: 3 }, injections: [{ replaced }] })
    expect(results?.cycle.cluster.assumptions).toEqual(
      expect.arrayContaining([
        'Nothing showed of the faults as the scenario has them; r2 was run with step 1 of 2 of their ladder.',
        'In the run of r2 fault f1 lost its target shop-1: it is gone, and what came in its place was not hit.',
      ]),
    )
  })

  it('lets no credential into an artefact', async () => {
    const context = await improvedCycle()
    await conclude(context, improved, byRules)
    expect(JSON.stringify(context.cycle.entries)).not.toContain('opensesame-42')
  })

  it('says nothing when the cycle was concluded before', async () => {
    const context = await improvedCycle()
    await conclude(context, improved, byRules)
    expect(await conclude(context, { outcome: 'cancelled', reason: 'cancelled', message: null }, byRules)).toEqual([])
    expect((await context.artefacts.all('results', resultsSchema)).map((r) => r.cycle.outcome)).toEqual(['improved'])
  })

  it('leaves no results without its word: after a crash before the end it says it all again', async () => {
    const context = await improvedCycle()
    const dying = { ...context, atEnd: stageArtefacts() }
    expect((await conclude(dying, improved, byRules)).map((e) => e.type)).toEqual(['cycle.concluded'])
    expect((await conclude(context, improved, byRules)).map((e) => e.type)).toEqual(['cycle.concluded'])
  })

  it('delivers a field that was not there before', async () => {
    const probe = { tcpSocket: { port: 80 } }
    const path = '/spec/template/spec/containers/0/readinessProbe'
    const context = await improvedCycle([{ ...twoPods, path, before: undefined, after: probe }])
    await conclude(context, improved, byRules)
    const results = await context.artefacts.latest('results', resultsSchema)
    expect(results?.revisions[1]?.changes).toMatchObject([{ path, after: probe, file: 'shop.yaml' }])
  })

  it('throws rather than deliver files that do not render to what was tested', async () => {
    const context = await improvedCycle([{ ...twoPods, object: 'Deployment/ghost' }])
    await expect(conclude(context, improved, byRules)).rejects.toThrow('Deployment/ghost')
  })

  it('reports a cycle of which nothing is known but its failure', async () => {
    const context = createMemoryContext()
    await conclude(context, afterFailure('input-invalid', 'shop.yaml:3: not YAML'), byRules)
    const results = await context.artefacts.latest('results', resultsSchema)
    expect(results?.cycle).toMatchObject({
      outcome: 'failed',
      reason: 'input-invalid',
      message: 'shop.yaml:3: not YAML',
    })
    expect(context.cycle.entries.filter((e) => e.kind === 'report').map((e) => e.name)).toEqual(
      expect.arrayContaining(['report.html', 'report.md', 'junit.xml', 'findings.sarif']),
    )
  })

  it('still ends when writing the conclusion failed, with the reason', async () => {
    const context = await improvedCycle()
    await context.artefacts.put('revision', { not: 'a revision' }, { revision: 2 })
    const events = await concludePlainly(context, { code: 'bug', message: 'a renderer broke' })
    expect(events).toMatchObject([{ type: 'cycle.concluded', data: { outcome: 'failed' } }])
  })
})

describe('afterFailure', () => {
  it.each([
    ['prober-lost', 'inconclusive', 'prober-lost'],
    ['refused-by-cluster', 'inconclusive', 'rejected-by-cluster'],
    ['not-injected', 'inconclusive', 'not-injected'],
    ['not-recovered', 'inconclusive', 'not-recovered'],
    ['baseline-broken', 'inconclusive', 'baseline-broken'],
    ['cluster-lost', 'failed', 'cluster-lost'],
    ['cluster-unfit', 'failed', 'cluster-unfit'],
    ['bug', 'failed', 'bug'],
  ])('a phase that ended with %s leaves the cycle %s (%s)', (code, outcome, reason) => {
    expect(afterFailure(code, 'why')).toEqual({ outcome, reason, message: 'why' })
  })
})

describe('afterVerdict', () => {
  it.each([
    [verdictOf(0, 'held'), true, 'resilient'],
    [verdictOf(0, 'refuted'), true, null],
    [verdictOf(0, 'refuted'), false, 'vulnerable'],
    [verdictOf(0, 'inconclusive', { reason: 'not-injected' }), true, 'inconclusive'],
    [verdictOf(0, 'inconclusive', { reason: 'cluster-lost' }), true, 'failed'],
    [verdictOf(2, 'held'), true, 'improved'],
    [verdictOf(1, 'refuted'), true, null],
    [verdictOf(1, 'inconclusive', { reason: 'not-settled' }), true, null],
    [verdictOf(1, 'inconclusive', { reason: 'cluster-lost' }), true, 'failed'],
  ])('%#', (verdict, mayImprove, outcome) => {
    expect(afterVerdict(verdict, mayImprove)?.outcome ?? null).toBe(outcome)
  })
})
