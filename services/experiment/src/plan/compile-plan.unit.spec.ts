import fc from 'fast-check'
import { schemaProblems } from '@ordeal/kubernetes'
import { faultEndMs, stepLengthMs, type Fault, type Hypothesis } from '@ordeal/shared'
import { everyFault } from '@ordeal/shared/testing'
import { compilePlan } from './compile-plan.js'
import { workflowOf } from './workflow.js'

const target = { component: 'Deployment/front', selector: { app: 'front' }, mode: 'one' as const, count: null }
const fault = (id: string, durationMs: number, startAfterMs?: number): Fault => ({
  ...{ id, target, durationMs, startAfterMs },
  kind: 'PodChaos',
  action: 'pod-kill',
  parameters: {},
})

const probe = { kind: 'k8s' as const, selector: { app: 'front' }, minReady: 1, periodMs: 1 }
const hypothesisOf = (faults: Fault[][], timing: Hypothesis['timing'], periodMs = 1): Hypothesis => ({
  steadyStates: ['front-answers', 'back-ready'].map((id) => ({
    id,
    probe: { ...probe, periodMs },
  })) as unknown as Hypothesis['steadyStates'],
  scenario: { event: 'e', reason: 'r', faults },
  timing,
  assumptions: [],
  hash: 'sha256:x',
})

const ms = fc.integer({ min: 1, max: 600_000 })
const gap = fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined })
/** Any fault of any kind, named as people name things. */
const anyFault = fc
  .record({
    id: fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?$/),
    body: fc.constantFrom(...everyFault({ target, durationMs: 1 })),
    durationMs: ms,
    startAfterMs: gap,
  })
  .map(({ id, body, durationMs, startAfterMs }): Fault => ({ ...body, id, durationMs, startAfterMs }))
const anyHypothesis = fc
  .record({
    faults: fc.array(fc.array(anyFault, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
    timing: fc.record({ preMs: ms, faultMs: ms, postMs: ms }),
  })
  .map(({ faults, timing }) => {
    const distinct = faults.map((step, i) => step.map((one, j) => ({ ...one, id: `${one.id}${i}${j}` })))
    return hypothesisOf(distinct, timing)
  })
  .filter(({ scenario }) => {
    const ids = scenario.faults.flat().map(({ id }) => id.toLowerCase())
    return new Set(ids).size === ids.length
  })
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
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

  it('starts each fault exactly when it is due after its step, and a step when all of the one before is over', () => {
    fc.assert(
      fc.property(anyHypothesis, (hypothesis) => {
        const { actions, windows } = compilePlan(hypothesis, of)
        const at = (id: string, what: string) => actions.find((a) => a.fault === id && a.do === what)?.at
        let due = windows.fault.from
        for (const step of hypothesis.scenario.faults) {
          for (const { id, startAfterMs = 0 } of step) expect(at(id, 'inject')).toBe(due + startAfterMs)
          for (const one of step) expect(at(one.id, 'remove')).toBe(due + faultEndMs(one))
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

  it('gives every fault a name of its own that Kubernetes takes', () => {
    fc.assert(
      fc.property(anyHypothesis, (hypothesis) => {
        const injected = compilePlan(hypothesis, of).actions.filter((a) => a.do === 'inject')
        expect(new Set(injected.map((a) => a.name)).size).toBe(injected.length)
        for (const { name } of injected) expect(name).toMatch(NAME)
      }),
    )
  })

  it('refuses, with all reasons, what cannot be injected or would be seen by no check', () => {
    const timing = { preMs: 1000, faultMs: 1000, postMs: 1000 }
    const hypothesis = hypothesisOf([[fault('a', 1000), fault('A', 300)]], timing, 500)
    expect(() => compilePlan(hypothesis, of)).toThrow(
      expect.objectContaining({
        code: 'invalid-scenario',
        details: {
          problems: [
            expect.stringMatching(/^2 faults are called a/),
            'fault A: durationMs is 300, and no check is measured more often than every 500 ms: let it last as long at least',
          ],
        },
      }) as Error,
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

  it('is what Chaos Mesh takes: a deadline on every node, unique names, known children, no duration beside it', () => {
    fc.assert(
      fc.property(anyHypothesis, (hypothesis) => {
        const manifest = workflowOf(hypothesis, compilePlan(hypothesis, of), { ...of, namespace: 'sandbox' })
        expect(schemaProblems(manifest)).toEqual([])
        const { entry, templates } = workflow(hypothesis)
        const names = templates.map((t) => t.name)
        expect(new Set(names).size).toBe(names.length)
        expect(names).toContain(entry)
        for (const { name, deadline, children = [], ...spec } of templates) {
          expect(name).toMatch(NAME)
          expect(deadline).toMatch(/^\d+(ms|s)$/)
          expect(JSON.stringify(spec)).not.toContain('"duration":')
          for (const child of children) expect(names).toContain(child)
        }
      }),
    )
  })

  it('never lets a node end before its children do, and waits out every gap', () => {
    fc.assert(
      fc.property(anyHypothesis, (hypothesis) => {
        const plan = compilePlan(hypothesis, of)
        const { entry, templates } = workflow(hypothesis)
        const byName = new Map(templates.map((t) => [t.name, t]))
        const msOf = (text = '') => (text.endsWith('ms') ? 1 : 1000) * Number.parseInt(text, 10)
        const lengthOf = (name: string): number => {
          const { templateType, children = [], deadline } = byName.get(name) ?? { templateType: '' }
          const lengths = children.map(lengthOf)
          if (lengths.length === 0) return msOf(deadline)
          const length = templateType === 'Serial' ? lengths.reduce((a, b) => a + b, 0) : Math.max(...lengths)
          expect(msOf(deadline)).toBeGreaterThan(length)
          return length
        }
        expect(lengthOf(entry)).toBe(plan.windows.post.to)
        for (const [index, step] of hypothesis.scenario.faults.entries()) {
          if (step.length > 1) expect(lengthOf(`step-${index + 1}`)).toBe(stepLengthMs(step))
        }
      }),
    )
  })

  it('runs steps one after the other, and the faults of a step side by side, each in its time', () => {
    const timing = { preMs: 1000, faultMs: 3000, postMs: 2000 }
    const steps = [[fault('a', 1000)], [fault('B', 500, 250), fault('c', 1000)]]
    expect(
      workflow(hypothesisOf(steps, timing)).templates.map(({ name, templateType, deadline, children }) => [
        ...[name, templateType, deadline, children],
      ]),
    ).toEqual([
      ['run', 'Serial', '246s', ['pre', 'fault-a', 'step-2', 'post']],
      ['pre', 'Suspend', '1s', undefined],
      ['fault-a', 'PodChaos', '1s', undefined],
      ['step-2', 'Parallel', '181s', ['later-b', 'fault-c']],
      ['later-b', 'Serial', '120750ms', ['wait-b', 'fault-b']],
      ['wait-b', 'Suspend', '250ms', undefined],
      ['fault-b', 'PodChaos', '500ms', undefined],
      ['fault-c', 'PodChaos', '1s', undefined],
      ['post', 'Suspend', '3s', undefined],
    ])
  })
})
