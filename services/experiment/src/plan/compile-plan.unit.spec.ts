import fc from 'fast-check'
import { type Fault, type Hypothesis } from '@ordeal/shared'
import { compilePlan } from './compile-plan.js'
import { workflowOf } from './workflow.js'

const fault = (id: string, durationMs: number): Fault => ({
  id,
  kind: 'PodChaos',
  action: 'pod-kill',
  target: { component: 'Deployment/front', selector: { app: 'front' }, mode: 'one', count: null },
  durationMs,
  parameters: {},
})

const hypothesisOf = (faults: Fault[][], timing: Hypothesis['timing']): Hypothesis => ({
  steadyStates: ['front-answers', 'back-ready'].map((id) => ({ id })) as Hypothesis['steadyStates'],
  scenario: { event: 'e', reason: 'r', faults },
  timing,
  assumptions: [],
  hash: 'sha256:x',
})

const ms = fc.integer({ min: 1, max: 600_000 })
const anyHypothesis = fc
  .record({
    durations: fc.array(fc.array(ms, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
    timing: fc.record({ preMs: ms, faultMs: ms, postMs: ms }),
  })
  .map(({ durations, timing }) => {
    const faults = durations.map((step, i) => step.map((duration, j) => fault(`f${i}-${j}`, duration)))
    return hypothesisOf(faults, timing)
  })
const of = { cycle: 'cyc-aaaaaaaaaaaaaaaa', revision: 1 }

describe('compilePlan', () => {
  it('puts a kill at the start of the fault window and takes it back at its end', () => {
    const plan = compilePlan(
      hypothesisOf([[fault('f1', 60_000)]], { preMs: 10_000, faultMs: 60_000, postMs: 20_000 }),
      of,
    )
    expect(plan.windows).toEqual({
      pre: { from: 0, to: 10_000 },
      fault: { from: 10_000, to: 70_000 },
      post: { from: 70_000, to: 90_000 },
    })
    expect(plan.actions).toEqual([
      { at: 10_000, do: 'inject', fault: 'f1', name: 'cyc-aaaaaaaaaaaaaaaa-r1-f1' },
      { at: 70_000, do: 'remove', fault: 'f1', name: 'cyc-aaaaaaaaaaaaaaaa-r1-f1' },
    ])
  })

  it('injects and removes every fault once, for exactly its duration', () => {
    fc.assert(
      fc.property(anyHypothesis, (hypothesis) => {
        const { actions } = compilePlan(hypothesis, of)
        const faults = hypothesis.scenario.faults.flat()
        expect(actions).toHaveLength(2 * faults.length)
        for (const { id, durationMs } of faults) {
          const [first, second, ...more] = actions.filter((a) => a.fault === id)
          expect([first?.do, second?.do, more.length]).toEqual(['inject', 'remove', 0])
          expect((second?.at ?? 0) - (first?.at ?? 0)).toBe(durationMs)
        }
      }),
    )
  })

  it('keeps the order of time, and removes before it injects at the same instant', () => {
    fc.assert(
      fc.property(anyHypothesis, (hypothesis) => {
        const { actions } = compilePlan(hypothesis, of)
        for (const [index, action] of actions.entries()) {
          const next = actions[index + 1]
          if (!next) continue
          expect(next.at).toBeGreaterThanOrEqual(action.at)
          if (next.at === action.at) expect([action.do, next.do]).not.toEqual(['inject', 'remove'])
        }
      }),
    )
  })

  it('starts the faults of a step at once, and a step when all of the one before is over', () => {
    fc.assert(
      fc.property(anyHypothesis, (hypothesis) => {
        const { actions, windows } = compilePlan(hypothesis, of)
        const at = (id: string, what: string) => actions.find((a) => a.fault === id && a.do === what)?.at
        let due = windows.fault.from
        for (const step of hypothesis.scenario.faults) {
          for (const { id } of step) expect(at(id, 'inject')).toBe(due)
          due = Math.max(...step.map(({ id }) => at(id, 'remove') ?? 0))
        }
      }),
    )
  })

  it('joins the windows, and holds all faults and a check of every steady state in the fault window', () => {
    fc.assert(
      fc.property(anyHypothesis, (hypothesis) => {
        const { actions, windows, checks } = compilePlan(hypothesis, of)
        expect([windows.pre.from, windows.fault.from, windows.post.from]).toEqual([0, windows.pre.to, windows.fault.to])
        expect(windows.fault.to - windows.fault.from).toBeGreaterThanOrEqual(hypothesis.timing.faultMs)
        for (const { at } of actions) {
          expect(at).toBeGreaterThanOrEqual(windows.fault.from)
          expect(at).toBeLessThanOrEqual(windows.fault.to)
        }
        for (const { id } of hypothesis.steadyStates) {
          expect(checks).toContainEqual({ steadyState: id, window: 'fault' })
        }
      }),
    )
  })

  it('gives every fault a name of its own', () => {
    fc.assert(
      fc.property(anyHypothesis, (hypothesis) => {
        const injected = compilePlan(hypothesis, of).actions.filter((a) => a.do === 'inject')
        expect(new Set(injected.map((a) => a.name)).size).toBe(injected.length)
      }),
    )
  })
})

interface Template {
  name: string
  deadline?: string
  templateType: string
  children?: string[]
}

describe('workflowOf', () => {
  const workflow = (hypothesis: Hypothesis) =>
    workflowOf(hypothesis, compilePlan(hypothesis, of), { ...of, namespace: 'sandbox' }).spec as {
      entry: string
      templates: Template[]
    }

  it('has a deadline on every node, and a node for every child', () => {
    fc.assert(
      fc.property(anyHypothesis, (hypothesis) => {
        const { entry, templates } = workflow(hypothesis)
        const names = templates.map((t) => t.name)
        expect(new Set(names).size).toBe(names.length)
        expect(names).toContain(entry)
        for (const { deadline, children = [] } of templates) {
          expect(deadline).toMatch(/^\d+(ms|s)$/)
          for (const child of children) expect(names).toContain(child)
        }
      }),
    )
  })

  it('runs steps one after the other, and the faults of a step side by side', () => {
    const timing = { preMs: 1000, faultMs: 3000, postMs: 2000 }
    const { templates } = workflow(hypothesisOf([[fault('a', 1000)], [fault('b', 500), fault('c', 1000)]], timing))
    expect(
      templates.map(({ name, templateType, deadline, children }) => [name, templateType, deadline, children]),
    ).toEqual([
      ['run', 'Serial', '66s', ['pre', 'fault-a', 'step-2', 'post']],
      ['pre', 'Suspend', '1s', undefined],
      ['fault-a', 'PodChaos', '1s', undefined],
      ['step-2', 'Parallel', '1s', ['fault-b', 'fault-c']],
      ['fault-b', 'PodChaos', '500ms', undefined],
      ['fault-c', 'PodChaos', '1s', undefined],
      ['post', 'Suspend', '3s', undefined],
    ])
  })
})
