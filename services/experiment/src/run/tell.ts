import { type PhaseContext, type Run, type SteadyState } from '@ordeal/shared'
import { type RunFault } from './fault.js'

/** Tells people that a fault was injected or removed. */
export function tellFault(context: PhaseContext, { targets, injection }: RunFault, what: 'injected' | 'removed'): void {
  const { fault } = targets
  const where = injection.targets.join(', ') || fault.target.component
  const message =
    what === 'injected'
      ? `${fault.action} ${injection.evidence.record ? 'hits' : 'does not reach'} ${where}`
      : `${fault.action} at ${where} is over`
  context.progress({
    kind: 'fault',
    message,
    data: { revision: context.revision, what, ...injection },
  })
}

/** Tells people what each steady state did in the windows. The verdict is not taken here. */
export function tellChecks(context: PhaseContext, states: readonly SteadyState[], run: Run): void {
  for (const { id, threshold } of states) {
    const shares = (['fault', 'post'] as const).map((window) => {
      const { from, to } = run.windows[window]
      const samples = (run.samples[id] ?? []).filter((s) => s.at >= from && s.at < to)
      const { maxLatencyMs } = threshold
      const good = samples.filter((s) => s.ok && (maxLatencyMs === null || (s.latencyMs ?? 0) <= maxLatencyMs))
      return { window, samples: samples.length, good: good.length }
    })
    const words = shares.map((s) => `${percent(s)} good in the ${s.window} window`).join(', ')
    context.progress({
      kind: 'check',
      message: `${id}: ${words}`,
      data: { revision: context.revision, steadyState: id, shares },
    })
  }
}

const percent = ({ good, samples }: { good: number; samples: number }): string =>
  samples === 0 ? 'nothing measured,' : `${Math.floor((good / samples) * 1000) / 10} %`
