import { fakeScreen } from '../testing/fake-screen.js'
import { sampleResults } from '../testing/sample-results.js'
import { renderSummary } from './summary.js'

const files = ['out/report.html', 'out/changes.patch']

describe('summary', () => {
  it('says outcome, score, what was hit, what failed, what was changed and where the report is', () => {
    expect(renderSummary(sampleResults(), files, fakeScreen({ columns: 120 }))).toBe(`
IMPROVED  score 41.3 → 100  shop
the application did not tolerate it as given; with the changes below it does

What was hit
  one pod of Pod/web is lost
  r0: web
  r1: web-6d9f-x

Checks
  r0 refuted: 1 of 1 check failed
    ✗ web-answers, fault window: no answer for 59 s (590 of 600 samples failed)
  r1 held: 1 check passed

Why
  Pod/web: nothing recreates the pod (Pod/web → Service/web)

What was changed
  replace Pod/web in pod.yaml: a Deployment recreates lost pods

Results
  out/report.html
  out/changes.patch

This is a forecast: the cluster was the embedded simulation. Confirm it on a cluster of your own with --cluster CONTEXT.
`)
  })

  it('gives the changes of a vulnerable application as advice only', () => {
    const results = sampleResults()
    const vulnerable = {
      ...results,
      cycle: { ...results.cycle, outcome: 'vulnerable' as const },
      revisions: results.revisions.map((revision) => ({ ...revision, kept: false })),
    }
    const text = renderSummary(vulnerable, files, fakeScreen())
    expect(text).not.toContain('What was changed')
    expect(text).toContain('r1, not enough: replace Pod/web')
  })

  it('names what does not work as it stands, however the application held', () => {
    const results = sampleResults()
    const finding = { rule: 'ORD040', object: 'Service/old', path: '/spec/selector', file: 'old.yaml', line: 3 }
    const findings = [
      { ...finding, severity: 'error' as const, message: 'No pod carries the labels.' },
      { ...finding, severity: 'warning' as const, message: 'Only a warning.' },
    ]
    const text = renderSummary({ ...results, findings }, files, fakeScreen({ columns: 120 }))
    expect(text).toContain('Findings\n  Service/old /spec/selector: No pod carries the labels.')
    expect(text).not.toContain('Only a warning')
    const cycle = {
      ...results.cycle,
      outcome: 'inconclusive' as const,
      reason: 'baseline-broken' as const,
      message: '',
    }
    const broken = { ...results, cycle, runs: [], findings: findings.slice(1) }
    expect(renderSummary(broken, files, fakeScreen())).toContain('Only a warning')
  })

  it('says why there is no verdict', () => {
    const results = sampleResults()
    const cycle = {
      ...results.cycle,
      outcome: 'inconclusive' as const,
      reason: 'baseline-broken',
      message: 'no pod came up',
    }
    const text = renderSummary({ ...results, cycle, runs: [] }, files, fakeScreen())
    expect(text).toContain('no verdict: baseline-broken – no pod came up')
    expect(text).not.toContain('forecast')
  })

  it('lets no control character of a manifest through', () => {
    const results = sampleResults()
    results.summary.application = 'a\u001b[31mb'
    expect(renderSummary(results, files, fakeScreen())).not.toContain('\u001b')
  })

  it('keeps within the screen', () => {
    const lines = renderSummary(sampleResults(), files, fakeScreen({ columns: 60 })).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60)
  })
})
