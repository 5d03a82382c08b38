import { type Finding } from '@ordeal/shared'
import { type Log, type ReportingDescriptor, type Result } from 'sarif'
import { rules } from './find-weaknesses.js'

/** The findings of an application as SARIF 2.1.0, so that code hosts show each at its line. */
export function findingsAsSarif(application: string, findings: readonly Finding[]): string {
  const ids = [...new Set(findings.map(({ rule }) => rule))]
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Ordeal', rules: ids.map((id) => describe(id, findings)) } },
        automationDetails: { id: `ordeal/${application}/` },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => resultOf(finding, ids.indexOf(finding.rule))),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

/** A rule in words: its id, since that is what it is called everywhere, why it matters and what would prove it. */
function describe(id: string, findings: readonly Finding[]): ReportingDescriptor {
  const rule = rules.find((known) => known.id === id)
  const level = rule?.severity ?? findings.find((f) => f.rule === id)?.severity ?? 'warning'
  return {
    id,
    shortDescription: { text: id.replaceAll('-', ' ') },
    defaultConfiguration: { level },
    ...(rule ? { fullDescription: { text: rule.why }, help: { text: `${rule.why} To prove it: ${rule.proof}` } } : {}),
  }
}

const resultOf = (finding: Finding, ruleIndex: number): Result => ({
  ruleId: finding.rule,
  ruleIndex,
  level: finding.severity,
  message: { text: finding.message.toWellFormed() },
  locations: [
    {
      physicalLocation: { artifactLocation: { uri: uriOf(finding.file) }, region: { startLine: finding.line } },
      logicalLocations: [{ fullyQualifiedName: `${finding.object}${finding.path}`, kind: 'object' }],
    },
  ],
  partialFingerprints: { 'ordeal/v1': `${finding.rule}:${finding.object}:${finding.path}` },
})

/** A path relative to the input as a relative URI reference. */
const uriOf = (path: string): string =>
  path
    .replaceAll('\\', '/')
    .replace(/^\.?\//, '')
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join('/')
