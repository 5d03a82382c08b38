import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { cancelled, failed, improved, inconclusive, inputOf, resilient, silent, vulnerable } from './fixtures.spec.js'
import { renderJunit } from './junit.js'

const list = ['testsuite', 'testcase']
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  isArray: (name) => list.includes(name),
})

interface TestCase {
  name: string
  failure?: { message: string }
  error?: { message: string }
  skipped?: { message: string }
}

interface Suites {
  testsuites: {
    tests: string
    failures: string
    errors: string
    skipped: string
    testsuite: { name: string; testcase: TestCase[] }[]
  }
}

const read = (xml: string): Suites['testsuites'] => (parser.parse(xml) as Suites).testsuites
const cases = (xml: string): TestCase[] => read(xml).testsuite.flatMap(({ testcase }) => testcase)

describe('renderJunit', () => {
  it.each([improved(), resilient(), vulnerable(), inconclusive(), silent(), cancelled(), failed()])(
    'is well-formed and counts right',
    (input) => {
      const xml = renderJunit(input)
      expect(XMLValidator.validate(xml)).toBe(true)
      const all = cases(xml)
      const { tests, failures, errors, skipped } = read(xml)
      expect([tests, failures, errors, skipped].map(Number)).toEqual([
        all.length,
        all.filter((each) => each.failure !== undefined).length,
        all.filter((each) => each.error !== undefined).length,
        all.filter((each) => each.skipped !== undefined).length,
      ])
    },
  )

  it('has one case for each steady state, window and run', () => {
    const all = cases(renderJunit(improved()))
    expect(all).toHaveLength(2 * 3 * 3)
  })

  it('is green for an improved cycle and says of r0 what failed and what mended it', () => {
    const xml = renderJunit(improved())
    expect(read(xml).failures).toBe('0')
    const [first] = read(xml).testsuite
    expect(first?.name).toBe('r0: the application as it was, refuted')
    expect(first?.testcase[1]?.skipped?.message).toMatch(
      /599 of 600 samples failed.*before the change; revision r2 passes/,
    )
  })

  it('is red at r0 for a vulnerable application', () => {
    const [first, second] = read(renderJunit(vulnerable())).testsuite
    expect(first?.testcase.filter((each) => each.failure !== undefined)).toHaveLength(4)
    expect(second?.testcase.filter((each) => each.failure !== undefined)).toHaveLength(0)
  })

  it.each([inconclusive(), silent(), cancelled(), failed()])('is never green without a verdict', (input) => {
    expect(Number(read(renderJunit(input)).errors)).toBe(1)
  })

  it('carries text that XML has no character for', () => {
    const input = inputOf(
      { summary: { application: 'a"<b>&\u0000\u001b\ud800', manifests: [], instructions: null } },
      {},
    )
    const xml = renderJunit(input)
    expect(XMLValidator.validate(xml)).toBe(true)
    expect(xml).toContain('a&quot;&lt;b&gt;&amp;\ufffd\ufffd\ufffd')
  })
})
