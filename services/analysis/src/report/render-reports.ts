import { findingsAsSarif } from '@ordeal/kubernetes'
import { renderHtml } from './html/page.js'
import { renderJunit } from './junit.js'
import { renderMarkdown } from './markdown.js'
import { type ReportFile, type ReportInput } from './report-input.js'

/** Every form of the report, under the names of the command line's contract (design §7). */
export const renderReports = (input: ReportInput): ReportFile[] => [
  { name: 'report.html', content: renderHtml(input) },
  { name: 'report.md', content: renderMarkdown(input) },
  { name: 'junit.xml', content: renderJunit(input) },
  { name: 'findings.sarif', content: findingsAsSarif(input.results.summary.application, input.findings) },
]
