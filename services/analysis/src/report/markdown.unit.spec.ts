import { block, code, text } from './markdown-text.js'
import { renderMarkdown } from './markdown.js'
import { cancelled, failed, huge, improved, inconclusive, resilient, silent, vulnerable } from './fixtures.spec.js'

describe('renderMarkdown', () => {
  it('begins with outcome, score and forecast', () => {
    const [title, , lead, , caveat] = renderMarkdown(improved()).split('\n')
    expect(title).toBe('## ✅ nginx: improved')
    expect(lead).toMatch(/Score 22\.2 → 99\.6 of 100\.$/)
    expect(caveat).toMatch(/^> \*\*Forecast\.\*\*/)
  })

  it.each([improved(), resilient(), vulnerable(), inconclusive(), silent(), cancelled(), failed()])(
    'closes what it opens, and its tables have one width',
    (input) => {
      const page = renderMarkdown(input)
      expect(page.match(/<details>/g)?.length).toBe(page.match(/<\/details>/g)?.length)
      for (const [table] of page.matchAll(/(?:^\|.*\n)+/gm)) {
        const widths = table
          .trim()
          .split('\n')
          .map((row) => row.replace(/\\\|/g, '').split('|').length)
        expect(new Set(widths).size).toBe(1)
      }
    },
  )

  it('says what came back after each run, when, and what did not', () => {
    const page = renderMarkdown(improved())
    expect(page).toMatch(/\| r0 \| Deployment\/web \| did not come back: it is gone \|/)
    expect(page).toMatch(/\| r\d \| Deployment\/web \| healthy 2\.2 s after the fault \|/)
    expect(page).toMatch(/\| r0 \| fault kill-web \| gone 180 ms after its removal began \|/)
  })

  it("tells the cycle in an agent's words, as text, and whose they are", () => {
    const input = improved()
    const told = (provenance: 'model' | 'expert'): string =>
      renderMarkdown({
        ...input,
        results: {
          ...input.results,
          summary: { ...input.results.summary, text: 'It fell <script>alert(1)</script>' },
          agents: [{ name: 'summary', provenance, calls: 1, inputTokens: 1, outputTokens: 1, costUsd: 0, ms: 1 }],
        },
      })
    expect(told('model')).toContain(
      String.raw`It fell &lt;script&gt;alert\(1\)&lt;/script&gt; <sub>(summary: model)</sub>`,
    )
    expect(told('expert')).toContain('<sub>(summary: rules, no model)</sub>')
    expect(renderMarkdown(input)).not.toContain('(summary:')
  })

  it('fits a comment on a pull request however large the cycle is', () => {
    const patch = `--- a/x\n+++ b/x\n@@ -1 +1,9000 @@\n${'+ line of the patch\n'.repeat(9000)}`
    expect(renderMarkdown({ ...huge(4, 100, 50), patch }).length).toBeLessThan(65_536)
  })
})

describe('text', () => {
  it.each([
    ['a | b', 'a \\| b'],
    ['<img src=x>', '&lt;img src=x&gt;'],
    ['@octocat fixes #1', '&#64;octocat fixes &#35;1'],
    ['[x](http://e)', '\\[x\\]\\(http&#58;//e\\)'],
    ['one\n\n# two', 'one &#35; two'],
    ['- item', '\\- item'],
    ['1. item', '1\\. item'],
    ['0.1 %', '0.1 %'],
    ['`**_', '\\`\\*\\*\\_'],
  ])('shows %j as it is', (value, expected) => {
    expect(text(value)).toBe(expected)
  })
})

describe('code', () => {
  it('cannot be ended by what it holds', () => {
    expect(code('a `b` c')).toBe('`` a `b` c ``')
    expect(code('a\nb')).toBe('`a b`')
    expect(block('diff', '+```\n')).toBe('````diff\n+```\n````')
  })
})
