import { type Log } from 'sarif'
import { type Finding } from '@ordeal/shared'
import { findingsAsSarif } from './sarif.js'

const FINDINGS: Finding[] = [
  ['ORD025-mutable-tag', 'note', '/spec/containers/0/image', 12] as const,
  ['ORD001-bare-pod', 'warning', '', 1] as const,
  ['rule-of-another', 'error', '/spec/containers/0', 8] as const,
].map(([rule, severity, path, line]) => ({
  ...{ rule, severity, path, line },
  ...{ object: 'Pod/web', message: `What is wrong by ${rule}.`, file: 'web.yaml' },
}))

const run = (findings = FINDINGS) => {
  const log = JSON.parse(findingsAsSarif('shop', findings)) as Log
  const [first] = log.runs
  if (!first) throw new Error('no run')
  return { log, first, results: first.results ?? [], rules: first.tool.driver.rules ?? [] }
}

describe('findingsAsSarif', () => {
  it('names rule, level, file and line of every finding', () => {
    const { log, results } = run()
    expect(log.version).toBe('2.1.0')
    expect(results.map(({ ruleId, level, locations }) => [ruleId, level, locations?.[0]?.physicalLocation])).toEqual(
      FINDINGS.map(({ rule, severity, file, line }) => [
        rule,
        severity,
        { artifactLocation: { uri: file }, region: { startLine: line } },
      ]),
    )
  })

  it('describes each rule once and points at it', () => {
    const { results, rules } = run([...FINDINGS, ...FINDINGS])
    expect(rules).toHaveLength(3)
    for (const { ruleId, ruleIndex } of results) expect(rules[ruleIndex ?? -1]?.id).toBe(ruleId)
  })

  it('says why a rule of its own matters and what would prove it', () => {
    const [mutable, , other] = run().rules
    expect(mutable?.fullDescription?.text).toMatch(/another version/)
    expect(mutable?.help?.text).toMatch(/To prove it: Push/)
    expect(other?.help).toBeUndefined()
  })

  it('writes paths as URI references', () => {
    const [finding] = FINDINGS
    if (!finding) throw new Error('no finding')
    const uris = ['./a b/ü#1.yaml', 'k8s\\web.yaml', '/abs/x:y.yaml'].map((file) => {
      const { results } = run([{ ...finding, file }])
      return results[0]?.locations?.[0]?.physicalLocation?.artifactLocation?.uri
    })
    expect(uris).toEqual(['a%20b/%C3%BC%231.yaml', 'k8s/web.yaml', 'abs/x%3Ay.yaml'])
  })

  it('is a whole document without findings', () => {
    expect((JSON.parse(findingsAsSarif('shop', [])) as Log).runs[0]?.results).toEqual([])
  })
})
