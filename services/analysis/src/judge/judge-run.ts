import { type Check, type Hypothesis, type Injection, type Reason, type Run, type Verdict } from '@ordeal/shared'
import { judgeWindow, type JudgedWindows } from './judge-window.js'
import { scoreOf } from './score.js'

const WINDOWS = ['pre', 'fault', 'post'] as const

type Doubt = { readonly reason: Reason; readonly message: string }
type Rule = (run: Run, checks: readonly Check[], hypothesis: Hypothesis) => Doubt | null

const lacking = (run: Run, half: 'record' | 'effect'): Injection | undefined =>
  attempted(run).find((i) => i.targets.length === 0 || i.evidence[half] === null)

const isGuarded = ({ problem }: Run): boolean => problem?.reason === 'guard'

/** The faults that the run came to: a guard may have stopped it before the later ones. */
const attempted = (run: Run): readonly Injection[] =>
  isGuarded(run) ? run.injections.filter((i) => i.injectedAt !== null) : run.injections

/** Reasons for which a run proves nothing, in the order in which they are looked for. */
const DOUBTS: readonly Rule[] = [
  (run) => (isGuarded(run) ? null : run.problem),
  (run, _checks, hypothesis) =>
    run.hypothesisHash === hypothesis.hash
      ? null
      : { reason: 'other-hypothesis', message: 'the run did not test the frozen hypothesis' },
  (run, _checks, hypothesis) => {
    const expected = hypothesis.scenario.faults.flat().map((f) => f.id)
    const missing = expected.filter((id) => !run.injections.some((i) => i.fault === id))
    return missing.length ? { reason: 'not-injected', message: `no injection of fault ${missing.join(', ')}` } : null
  },
  (run) => {
    const injection = lacking(run, 'record')
    return injection
      ? { reason: 'not-injected', message: `no record that fault ${injection.fault} hit its targets` }
      : null
  },
  (run) => {
    const injection = lacking(run, 'effect')
    return injection
      ? { reason: 'silent-injection', message: `fault ${injection.fault} showed no effect at its targets` }
      : null
  },
  (run) => {
    const left = attempted(run).find((i) => i.recoveredAt === null)
    return left
      ? { reason: 'not-recovered', message: `the removal of fault ${left.fault} could not be verified` }
      : null
  },
  (_run, checks) => {
    const broken = checks.find((c) => c.window === 'pre' && c.outcome === 'failed')
    return broken
      ? { reason: 'baseline-broken', message: `${broken.steadyState} did not hold before the fault: ${broken.worst}` }
      : null
  },
  (run, checks) => {
    const lost = checks.find((c) => c.outcome === 'not-measured' && !wasCutOff(run, c))
    return lost
      ? { reason: 'prober-lost', message: `${lost.steadyState} has too few samples in the ${lost.window} window` }
      : null
  },
  // What a check failed of speaks for itself; that a target stays away and no check sees it leaves the run unfinished.
  (run, checks) => {
    const sick = run.recovery?.find(({ healthyAfterMs }) => healthyAfterMs === null)
    return sick && !checks.some(refutes)
      ? { reason: 'not-recovered', message: `${sick.component} did not come back after its fault: ${sick.problem}` }
      : null
  },
  // What failed until a guard stopped the run refutes it; that nothing did proves nothing, since the run is not whole.
  (run, checks) => (isGuarded(run) && !checks.some(refutes) ? run.problem : null),
]

/** A guard leaves no time for what comes after the fault. */
const wasCutOff = (run: Run, { window }: Check): boolean =>
  isGuarded(run) && run.windows[window].to <= run.windows[window].from

const refutes = (check: Check): boolean => check.window !== 'pre' && check.outcome === 'failed'

/** Whether a revision does better than the run of its base, and which checks that held there now fail. */
export function compare(base: Verdict, score: number, checks: readonly Check[]): NonNullable<Verdict['comparison']> {
  const failedNow = checks.filter((c) => c.outcome === 'failed')
  const heldBefore = (c: Check): boolean =>
    base.checks.some((b) => b.steadyState === c.steadyState && b.window === c.window && b.outcome === 'passed')
  const failedBefore = base.checks.filter((c) => c.outcome === 'failed').length
  return {
    better: failedNow.length < failedBefore || (failedNow.length === failedBefore && score > base.score),
    regressions: failedNow.filter(heldBefore).map((c) => `${c.steadyState} in the ${c.window} window`),
  }
}

const stretched = ({ windows }: Run, { stretches }: Hypothesis): JudgedWindows => ({
  ...windows,
  stretches: { pre: stretches?.preMs, fault: stretches?.faultMs, post: stretches?.postMs },
})

const messageOf = (problem: { readonly message: string } | null): string | null => problem?.message ?? null

/**
 * The verdict of a run, from its samples and the windows that really happened. `refuted` needs failing samples in a run
 * whose faults were injected; whatever puts that in doubt is `inconclusive` with a reason, never `held`. `base` is the
 * verdict of the revision that this one was built on; null for r0.
 */
export function judgeRun(run: Run, hypothesis: Hypothesis, base: Verdict | null): Verdict {
  const checks = hypothesis.steadyStates.flatMap((state) =>
    WINDOWS.map((window) => judgeWindow(state, window, run.samples[state.id] ?? [], stretched(run, hypothesis))),
  )
  const score = scoreOf(hypothesis.steadyStates, checks)
  const doubt = DOUBTS.map((rule) => rule(run, checks, hypothesis)).find((d) => d !== null) ?? null
  return {
    revision: run.revision,
    verdict: doubt ? 'inconclusive' : checks.some(refutes) ? 'refuted' : 'held',
    reason: doubt?.reason ?? null,
    message: messageOf(doubt ?? run.problem),
    checks,
    score,
    comparison: base && !doubt ? compare(base, score, checks) : null,
  }
}
