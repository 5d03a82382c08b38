import { type Fault, type Scenario } from '@ordeal/shared'
import { everyFault } from '@ordeal/shared/testing'
import { chaosManifest, isChaosFault } from './chaos.js'
import { schemaProblems } from './chaos-schema.js'
import { atStep, faultProblems } from './check-faults.js'

const target = { component: 'Deployment/front', selector: { app: 'front' }, mode: 'one' as const, count: null }
const faults = everyFault({ target, durationMs: 60_000 }).filter(isChaosFault)
const place = { name: 'x', namespace: 'sandbox', labels: {} }
const delay: Fault = {
  ...{ id: 'slow', target, durationMs: 60_000 },
  kind: 'NetworkChaos',
  action: 'delay',
  parameters: { latencyMs: 100, direction: 'to' },
  stronger: [{ latencyMs: 300 }, { latencyMs: 1000 }],
}
const scenarioOf = (...step: Fault[]): Scenario => ({ event: 'e', reason: 'r', faults: [step] })

describe('schemaProblems', () => {
  it.each(faults.map((fault) => [fault.kind, fault.action, fault] as const))(
    'takes %s %s with every parameter',
    (_kind, _action, fault) => expect(schemaProblems(chaosManifest(fault, place))).toEqual([]),
  )

  it.each(faults.map((fault) => [fault.kind, fault.action, fault] as const))(
    'refuses an unknown field in %s %s',
    (_kind, _action, fault) => {
      const manifest = chaosManifest(fault, place)
      const spec = { ...(manifest.spec as object), surprise: true }
      expect(schemaProblems({ ...manifest, spec })).toEqual([expect.stringMatching(/^spec has no field surprise \(/)])
    },
  )

  it('names the field and what it may be', () => {
    const manifest = chaosManifest(delay, place)
    const spec = { ...(manifest.spec as object), delay: { latency: 'soon' }, direction: 'up' }
    expect(schemaProblems({ ...manifest, spec })).toEqual([
      expect.stringMatching(/^spec.delay.latency must match pattern/),
      expect.stringMatching(/^spec.direction must be equal to one of the allowed values: to, from, both/),
    ])
  })
})

describe('faultProblems', () => {
  it('finds none in faults of every kind', () => expect(faultProblems(scenarioOf(...faults))).toEqual([]))

  it('names two faults of one name, whatever its case', () => {
    expect(faultProblems(scenarioOf(delay, { ...delay, id: 'SLOW' }))).toEqual([
      '2 faults are called slow: give each an id of its own, whatever its case',
    ])
  })

  it.each([
    { ...target, mode: 'fixed' as const },
    { ...target, count: 2 },
  ])('wants a count with mode fixed, and only there: %j', (rule) => {
    expect(faultProblems(scenarioOf({ ...delay, target: rule }))).toEqual([
      'fault slow: target.count goes with mode fixed, and with no other',
    ])
  })

  it('looks at each step of the ladder, too', () => {
    const wrong = { ...delay, stronger: [{ latencyMs: 300 }, { latencyMs: 300, direction: 'up' as 'to' }] }
    expect(faultProblems(scenarioOf(wrong))).toEqual([
      expect.stringMatching(/^fault slow \(step 2 of its ladder\): spec.direction must be/),
    ])
  })
})

describe('atStep', () => {
  it.each([
    [0, 100],
    [1, 300],
    [2, 1000],
    [9, 1000],
  ])('has, at step %d, %d ms', (step, latencyMs) => expect(atStep(delay, step).parameters).toMatchObject({ latencyMs }))
})
