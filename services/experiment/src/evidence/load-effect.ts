import { type SampleLine } from '@ordeal/prober'
import { median } from './answers-effect.js'

/** Of a processor, and of memory: what stands out from an application's own ups and downs. */
const LEAST = { cpu: { factor: 1.5, more: 30 }, memory: { factor: 1.1, more: 8 * 2 ** 20 } } as const
/** Figures are of the past: those of the fault are still read after it. */
const STALE_MS = 60_000

/** What the figures of the metrics API show of a StressChaos at a pod; null when nothing stands out. */
export function loadEffect(
  pod: string,
  resource: 'cpu' | 'memory',
  lines: readonly SampleLine[],
  { injectedAt, until }: { injectedAt: number; until: number },
): string | null {
  const figures = lines.flatMap(({ at, takenAt, value }) =>
    value === null || takenAt === undefined ? [] : [{ takenAt, readAt: at, value }],
  )
  const during = figures.filter(({ takenAt, readAt }) => takenAt > injectedAt && readAt < until + STALE_MS)
  const usual = figures.filter(({ takenAt }) => takenAt <= injectedAt).map(({ value }) => value)
  if (during.length === 0 || usual.length === 0) return null
  const [was, is] = [median(usual), Math.max(...during.map(({ value }) => value))]
  const { factor, more } = LEAST[resource]
  return is >= was * factor && is - was >= more
    ? `${pod} uses ${words(is, resource)} instead of ${words(was, resource)}`
    : null
}

const words = (value: number, resource: 'cpu' | 'memory'): string =>
  resource === 'cpu' ? `${Math.round(value)} millicores` : `${Math.round(value / 2 ** 20)} MiB`
