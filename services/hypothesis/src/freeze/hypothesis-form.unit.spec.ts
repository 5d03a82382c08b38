import { DEFAULT_EXPECTATIONS, type Graph, type SteadyState } from '@ordeal/shared'
import { sampleService, sampleWorkload } from '@ordeal/shared/testing'
import { z } from 'zod'
import { type Unfrozen } from './form-hypothesis.js'
import { documentOf, formOf, readReplacement } from './hypothesis-form.js'

const shop = sampleWorkload('shop')
const graph: Graph = {
  application: 'shop',
  workloads: [shop, { ...sampleWorkload('off'), replicas: 0 }],
  services: [sampleService('shop')],
  edges: [],
  entryPoints: ['Service/shop'],
}
const state = (id: string): SteadyState => ({
  id,
  statement: id,
  target: 'Service/shop',
  weight: 3,
  probe: { kind: 'http', service: 'shop', port: 80, path: `/${id}`, ratePerSecond: 10, timeoutMs: 2000 },
  threshold: {
    maxLatencyMs: 500,
    fault: { minShare: 0.95, maxOutageMs: 5000 },
    post: { normalAfterMs: 5000, minShare: 0.98 },
  },
  baseline: { samples: 150, failed: 0, latencyMs: { p50: 1, p99: 2 } },
  negativeControl: { failed: true, how: 'scaled to 0', method: 'target-broken' },
})
const formed: Unfrozen = {
  steadyStates: [state('a'), state('b')],
  scenario: {
    event: 'a pod is lost',
    reason: 'it tells most',
    faults: [
      [
        {
          id: 'f1',
          kind: 'PodChaos',
          action: 'pod-kill',
          target: { component: shop.id, selector: shop.selector, mode: 'one', count: null },
          parameters: {},
          durationMs: 60_000,
        },
      ],
    ],
  },
  timing: { preMs: 10_000, faultMs: 60_000, postMs: 20_000 },
  expectations: DEFAULT_EXPECTATIONS,
  leftOut: [],
  around: [],
}
interface Editable {
  steadyStates: { id: string; threshold: SteadyState['threshold'] }[]
  scenario: { faults: Record<string, unknown>[][] }
  timing: { preMs: number }
}
const edited = (edit: (document: Editable) => void): Editable => {
  const document = structuredClone(documentOf(formed)) as Editable
  edit(document)
  return document
}
const fault = (document: Editable): Record<string, unknown> => document.scenario.faults[0]?.[0] ?? {}
const read = (document: unknown) => readReplacement(document, formed, formed.steadyStates, graph)
const form = z.fromJSONSchema(formOf(formed.steadyStates, graph))

describe('a hypothesis as people write it', () => {
  it('is the proposal itself where nothing is changed', () => {
    expect(read(documentOf(formed))).toEqual({ value: formed })
    expect(form.safeParse(documentOf(formed)).success).toBe(true)
  })

  it('leaves steady states out, loosens thresholds, and spans longer faults', () => {
    const result = read(
      edited((document) => {
        document.steadyStates.pop()
        Object.assign(document.steadyStates[0]?.threshold.fault ?? {}, { minShare: 0.5 })
        Object.assign(fault(document), { durationMs: 90_000 })
      }),
    )
    expect(result).toMatchObject({ value: { timing: { faultMs: 90_000 } } })
    const { steadyStates } = (result as { value: Unfrozen }).value
    expect(steadyStates.map(({ id, threshold, probe }) => [id, threshold.fault.minShare, probe.kind])).toEqual([
      ['a', 0.5, 'http'],
    ])
  })

  it('means by a component the pods that it has, whatever selector is written', () => {
    const result = read(
      edited((document) => {
        Object.assign(fault(document), {
          target: { component: shop.id, selector: { app: 'other' }, mode: 'one', count: null },
        })
      }),
    )
    expect((result as { value: Unfrozen }).value.scenario.faults[0]?.[0]?.target.selector).toEqual(shop.selector)
  })

  it.each<[string, (document: Editable) => void, RegExp]>([
    [
      'a steady state that was not measured',
      (d) => d.steadyStates.push({ ...d.steadyStates[0], id: 'c' } as never),
      /\/steadyStates\/2\/id/,
    ],
    ['none at all', (d) => d.steadyStates.splice(0), /\/steadyStates/],
    ['one twice', (d) => d.steadyStates.push(d.steadyStates[0] as never), /a is named twice/],
    [
      'an invented object',
      (d) =>
        Object.assign(fault(d), {
          target: { component: 'Deployment/payments', selector: {}, mode: 'one', count: null },
        }),
      /payments is no workload that can be hit; these can: Deployment\/shop/,
    ],
    [
      'a workload without pods',
      (d) =>
        Object.assign(fault(d), { target: { component: 'Deployment/off', selector: {}, mode: 'one', count: null } }),
      /off is no workload that can be hit/,
    ],
    ['an unknown fault', (d) => Object.assign(fault(d), { kind: 'Meteor' }), /\/scenario\/faults\/0\/0/],
    ['less time than measuring takes', (d) => Object.assign(d.timing, { preMs: 5 }), /\/timing\/preMs/],
    ['a word too much', (d) => Object.assign(d, { hash: 'x' }), /hash/],
  ])('is refused with %s', (_, edit, problem) => {
    expect((read(edited(edit)) as { problems: string[] }).problems.join('\n')).toMatch(problem)
  })

  it('has a form that knows the names there are', () => {
    const stranger = edited((d) =>
      Object.assign(fault(d), { target: { component: 'Deployment/payments', selector: {}, mode: 'one', count: null } }),
    )
    expect(form.safeParse(stranger).success).toBe(false)
    expect(form.safeParse(edited((d) => Object.assign(d.steadyStates[0] ?? {}, { id: 'c' }))).success).toBe(false)
  })
})
