import { type Results } from '@ordeal/shared'
import { approvalRows } from './approval-words.js'
import { improved } from './fixtures.spec.js'
import { renderReports } from './index.js'

const approvals: NonNullable<Results['approvals']> = [
  {
    ...{ what: 'hypothesis', revision: 0, decision: 'revise', by: 'alice', message: '<b>less</b> | more' },
    ...{ at: '2026-11-30T10:00:00.000Z', proposal: `sha256:${'1'.repeat(64)}` as never },
  },
  {
    ...{ what: 'improvement', revision: 1, decision: 'reject', by: null, message: null },
    ...{ at: '2026-11-30T10:30:00.000Z', proposal: `sha256:${'2'.repeat(64)}` as never },
  },
]

describe('what people decided', () => {
  it('is told by who, when and with which words', () => {
    expect(approvalRows({ approvals })).toEqual([
      ['hypothesis', 'asked for another one', 'alice', '2026-11-30T10:00:00.000Z', '<b>less</b> | more'],
      ['improvement r1', 'rejected', 'nobody in time: the default', '2026-11-30T10:30:00.000Z', '–'],
    ])
    expect(approvalRows({})).toEqual([])
  })

  it('stands in both reports, as text only', () => {
    const input = improved()
    const reports = renderReports({ ...input, results: { ...input.results, approvals } })
    for (const name of ['report.html', 'report.md']) {
      const content = reports.find((report) => report.name === name)?.content ?? ''
      expect(content).toContain('asked for another one')
      expect(content).not.toContain('<b>less')
    }
    const without = renderReports(input).map(({ content }) => content)
    expect(without.join()).not.toContain('What people decided')
  })
})
