import { XMLValidator } from 'fast-xml-parser'
import {
  cancelled,
  failed,
  huge,
  improved,
  inconclusive,
  inputOf,
  resilient,
  silent,
  vulnerable,
} from '../fixtures.spec.js'
import { type ReportInput } from '../report-input.js'
import { renderHtml } from './page.js'

const cycles: [string, ReportInput][] = [
  ['improved', improved()],
  ['resilient', resilient()],
  ['vulnerable', vulnerable()],
  ['inconclusive', inconclusive()],
  ['silent', silent()],
  ['cancelled', cancelled()],
  ['failed', failed()],
]

/** The page with void elements closed, so that a parser of XML can tell whether all others nest. */
const asXml = (page: string): string =>
  page
    .replace(/<!doctype html>/i, '')
    .replace(/<meta([^>]*[^/])>/g, '<meta$1/>')
    .replace(/<style>[\s\S]*?<\/style>/, '')

/** Every string of a value replaced by `change` of it. */
function everyString<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map((each: unknown) => everyString(each, change)) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, everyString<unknown>(each, change)])) as T
}

describe('renderHtml', () => {
  it.each(cycles)('nests its elements and needs neither network nor script: %s', (_name, input) => {
    const page = renderHtml(input)
    expect(XMLValidator.validate(asXml(page), { allowBooleanAttributes: true })).toBe(true)
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed|form)\b|\son\w+=|url\(|@import|(href|src)="(?!#)/)
    expect(page).toContain(`default-src 'none'`)
  })

  it.each(cycles)('shows the outcome, the next step and how to repeat it: %s', (_name, input) => {
    const page = renderHtml(input)
    expect(page).toContain(`>${input.results.cycle.outcome}</span>`)
    expect(page).toMatch(/What to do/)
    expect(page).toContain('ordeal run examples/nginx --seed 7')
    const forecast = ['improved', 'vulnerable'].includes(input.results.cycle.outcome)
    expect(page.includes('Forecast.')).toBe(forecast)
  })

  it('shows what came back and what did not', () => {
    const page = renderHtml(improved())
    expect(page).toMatch(/healthy 2\.2 s after the fault/)
    expect(page).toMatch(/did not come back<\/strong><small>it is gone/)
  })

  it.each(cycles)('has no dangling reference and no id twice: %s', (_name, input) => {
    const page = renderHtml(input)
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
  })

  it('treats all text as data', () => {
    const hostile = `"'></style></title><script>alert(1)</script><img src=x onerror=alert(2)>&amp;`
    const input = improved()
    const keep = ['outcome', 'verdict', 'kind', 'window', 'severity', 'provenance', 'mode', 'action', 'method']
    const kept = new Set(JSON.stringify(input.results).match(/"([a-z-]+|[A-Z]\w+Chaos)"(?=[,}])/g))
    const results = everyString(input.results, (text) => (kept.has(`"${text}"`) ? text : `${text}${hostile}`))
    const page = renderHtml({
      ...input,
      results: {
        ...results,
        cycle: {
          ...results.cycle,
          startedAt: input.results.cycle.startedAt,
          finishedAt: input.results.cycle.finishedAt,
        },
      },
      findings: everyString([...input.findings], (text) =>
        keep.includes(text) || text in { error: 1, warning: 1, note: 1 } ? text : text + hostile,
      ),
      patch: `${input.patch ?? ''}+${hostile}\n`,
      assumptions: [hostile],
      command: hostile,
      runs: input.runs.map((run) => ({ ...run, observations: [{ at: 0, object: 'Pod/x', what: hostile }] })),
    })
    expect(page).toContain('&lt;script&gt;alert(1)')
    expect(page).not.toMatch(/<script|<img/)
    expect(XMLValidator.validate(asXml(page), { allowBooleanAttributes: true })).toBe(true)
  })

  it('stays under 3 MB with 10 runs of 12 steady states of 2,000 samples', () => {
    expect(Buffer.byteLength(renderHtml(huge(10, 12, 2000)))).toBeLessThan(3_000_000)
  })

  it('does not grow with the number of samples', () => {
    const [some, many] = [renderHtml(huge(1, 2, 2000)).length, renderHtml(huge(1, 2, 40_000)).length]
    expect(many).toBeLessThan(1.3 * some)
  })

  it('shows a run whose samples are lost, and samples whose checks are lost', () => {
    expect(renderHtml({ ...improved(), runs: [] })).toContain('<h4>Checks</h4>')
    const { runs } = improved().results
    const page = renderHtml(inputOf({ runs: runs.map((run) => ({ ...run, checks: [] })), hypothesis: null }, {}))
    expect(page).toContain('web-pods-ready')
  })

  it('shows a diff that cannot be read as it is', () => {
    expect(renderHtml({ ...improved(), patch: 'not <a> diff' })).toMatch(/<pre class="raw">\s*not &lt;a&gt; diff/)
  })

  it('puts every reason beside the file that it changes', () => {
    const page = renderHtml(improved())
    for (const { reason } of improved().results.revisions[2]?.changes ?? []) expect(page).toContain(reason)
    expect(page.indexOf('web-pdb.yaml')).toBeLessThan(page.lastIndexOf('A drain of a node'))
  })

  it('shows values of windows without length', () => {
    const [run] = improved().runs
    if (!run) throw new Error('no run')
    const now = { from: run.windows.pre.from, to: run.windows.pre.from }
    expect(renderHtml({ ...improved(), runs: [{ ...run, windows: { pre: now, fault: now, post: now } }] })).not.toMatch(
      /NaN|Infinity/,
    )
  })
})
