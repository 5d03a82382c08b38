import { type Check, type Results, type Run, type Sample, type Windows } from '@ordeal/shared'

const START = Date.UTC(2026, 0, 1, 0, 1)
export const at = (s: number): number => START + s * 1000
const WINDOWS: Windows = {
  pre: { from: at(-20), to: at(0) },
  fault: { from: at(0), to: at(60) },
  post: { from: at(60), to: at(90) },
}
const HASH = 'b7f6d4c0a2e94f1b8c3d5e6f708192a3'
export const WEB = 'web-answers'
export const PODS = 'web-pods-ready'

/** An interval in seconds after the fault during which a steady state fails. */
export type Outage = readonly [from: number, to: number]

const inside = (s: number, outages: readonly Outage[]): boolean => outages.some(([from, to]) => s >= from && s < to)

/** Requests at 10/s, or readings of ready pods at 1/s, over the whole run. */
function series(perSecond: number, sample: (s: number, i: number) => Omit<Sample, 'at'>): Sample[] {
  return Array.from({ length: 110 * perSecond }, (_, i) => ({
    at: at(-20 + i / perSecond),
    ...sample(-20 + i / perSecond, i),
  }))
}

const httpSeries = (outages: readonly Outage[], slow: readonly Outage[] = []): Sample[] =>
  series(10, (s, i) => {
    if (inside(s, outages)) return { ok: false, latencyMs: null, value: null, error: 'connection refused' }
    return { ok: true, latencyMs: (inside(s, slow) ? 900 : 4) + ((i * 7919) % 13) / 4, value: 200, error: null }
  })

const podSeries = (all: number, outages: readonly Outage[]): Sample[] =>
  series(1, (s) => {
    const ready = inside(s, outages) ? all - 1 : all
    return { ok: ready >= 1, latencyMs: 2, value: ready, error: ready >= 1 ? null : 'no pod ready' }
  })

/** Checks of one steady state in all windows; more than one in twenty samples failed is too many. */
export function checksOf(id: string, samples: readonly Sample[], worst: string): Check[] {
  return (['pre', 'fault', 'post'] as const).map((window) => {
    const own = samples.filter((s) => s.at >= WINDOWS[window].from && s.at < WINDOWS[window].to)
    const failed = own.filter((s) => !s.ok).length
    const bad = failed > own.length * 0.05
    return {
      steadyState: id,
      window,
      outcome: bad ? 'failed' : 'passed',
      samples: own.length,
      failed,
      worst: failed > 0 ? worst : 'every sample good',
      recoveredAfterMs: window === 'post' && !bad ? 0 : null,
    }
  })
}

export interface RunSeed {
  revision: number
  outages: readonly Outage[]
  pods: number
  worst: string
}

/** A run that fails during its outages, with its verdict. */
export function runOf({ revision, outages, pods, worst }: RunSeed): { run: Run; judged: Results['runs'][number] } {
  const samples = { [WEB]: httpSeries(outages), [PODS]: podSeries(pods, [[0, outages[0]?.[1] ?? 3]]) }
  const checks = Object.entries(samples).flatMap(([id, own]) => checksOf(id, own, worst))
  const evidence = { record: 'web-kill: AllInjected at +0 s', effect: 'pod web-7d9c-x2x8q deleted at +0.1 s' }
  const injection = { fault: 'kill-web', targets: ['web-7d9c-x2x8q'], evidence, goneAfterMs: 180 }
  const isBack = pods > 1 || revision > 0
  const problem = isBack ? null : 'it is gone'
  const recovery = [{ component: 'Deployment/web', healthyAfterMs: isBack ? 2200 : null, problem }]
  const shared = { revision, hypothesisHash: HASH, windows: WINDOWS }
  return {
    run: {
      ...shared,
      injections: [{ ...injection, injectedAt: at(0), recoveredAt: at(60) }],
      samples,
      observations: [
        { at: at(0.1), object: 'Pod/web-7d9c-x2x8q', what: 'deleted (Killing: stopping container nginx)' },
        ...(isBack ? [{ at: at(0.4), object: 'Pod/web-7d9c-m4b7z', what: 'created' }] : []),
        ...(isBack ? [{ at: at(7.2), object: 'Pod/web-7d9c-m4b7z', what: 'ready' }] : []),
      ],
      recovery,
      problem: null,
    },
    judged: {
      ...shared,
      verdict: checks.some((c) => c.outcome === 'failed') ? 'refuted' : 'held',
      reason: null,
      injections: [injection],
      recovery,
      checks,
    },
  }
}
