import { type Windows } from '@ordeal/shared'
import { type Column, COLUMNS } from '../density.js'
import { decimal, duration } from '../format.js'
import { html, type Markup } from '../markup.js'

/** The time axis of a run. */
export interface Scale {
  windows: Windows
  /** The start of the fault window, which times are counted from. */
  zero: number
  /** Times with a label. */
  ticks: readonly number[]
  /** Where an instant stands between the ends of the axis, 0–1. */
  x: (at: number) => number
}

const STEPS_S = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 43_200, 86_400]
const MOST_TICKS = 7

/** The axis from the start of the pre window to the end of the post window. */
export function scaleOf(windows: Windows): Scale {
  const { from } = windows.pre
  const length = Math.max(1, windows.post.to - from)
  const zero = windows.fault.from
  const step = 1000 * (STEPS_S.find((s) => length / (s * 1000) <= MOST_TICKS) ?? Math.ceil(length / 1000 / MOST_TICKS))
  const first = Math.ceil((from - zero) / step)
  const last = Math.floor((windows.post.to - zero) / step)
  return {
    windows,
    zero,
    ticks: Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => zero + (first + i) * step),
    x: (at) => Math.min(1, Math.max(0, (at - from) / length)),
  }
}

/** Lanes are drawn on a field of `COLUMNS` by their height in pixels and stretched to the width there is. */
const column = ({ x }: Scale, at: number): string => (x(at) * COLUMNS).toFixed(1)

/** Bands and grid lines that everything else is drawn upon. */
export const ground = (scale: Scale, height: number): Markup =>
  html` <svg
    class="field"
    viewBox="0 0 ${COLUMNS} ${height}"
    preserveAspectRatio="none"
    style="height:${height}px"
    aria-hidden="true"
  >
    ${bands(scale, height)}
  </svg>`

function bands(scale: Scale, height: number): Markup {
  const band = (name: 'pre' | 'fault' | 'post'): Markup => {
    const from = column(scale, scale.windows[name].from)
    const width = (Number(column(scale, scale.windows[name].to)) - Number(from)).toFixed(1)
    return html`<rect class="${name}" x="${from}" width="${width}" height="${height}" />`
  }
  return html`${band('pre')}${band('fault')}${band('post')}<path
      class="grid"
      d="${scale.ticks.map((at) => `M${column(scale, at)} 0V${height}`).join('')}"
    />`
}

/** Ticks at the times of events; those of one column share one. */
export function marks(times: readonly number[], scale: Scale): Markup {
  const columns = [...new Set(times.map((at) => Math.round(scale.x(at) * COLUMNS)))]
  return html`<svg
    class="field"
    viewBox="0 0 ${COLUMNS} 22"
    preserveAspectRatio="none"
    style="height:22px"
    aria-hidden="true"
  >
    ${bands(scale, 22)}
    <path class="mark" d="${columns.map((x) => `M${x} 4V18`).join('')}" />
  </svg>`
}

export interface LaneInput {
  columns: readonly Column[]
  scale: Scale
  /** The demand on the measured value; drawn when the values come near it. */
  limit: number | null
  /** The lane in words. */
  spoken: string
}

const HEIGHT = 50
const STRIP = { top: 40, height: 7 }
const LINE = { top: 5, bottom: 36 }

/**
 * A lane: good samples as a strip, failed ones as columns that rise with their share, the measured value as a line. A
 * column with a single failed sample still rises to a third and is never thinner than a stroke, so none is hidden.
 */
export function lane({ columns, scale, limit, spoken }: LaneInput): Markup {
  const top = topOf(columns, limit)
  const shownLimit = limit !== null && limit <= top ? limit : null
  return html`<svg
    class="field"
    viewBox="0 0 ${COLUMNS} ${HEIGHT}"
    preserveAspectRatio="none"
    style="height:${HEIGHT}px"
    role="img"
    aria-label="${spoken}"
  >
    <title>${spoken}</title>
    ${bands(scale, HEIGHT)}
    <path class="ok" d="${stripPath(columns)}" />
    <path class="failed" d="${failedPath(columns)}" />
    ${top > 0 && html`<path class="line" d="${linePath(columns, top)}" />${shownLimit !== null && html`<path class="limit" d="M0 ${height(shownLimit, top)}H${COLUMNS}" />`}`}
  </svg>`
}

/** Top of the value axis: room above the values, and the limit where they come near it. */
function topOf(columns: readonly Column[], limit: number | null): number {
  const most = columns.reduce((max, { worst }) => Math.max(max, worst ?? 0), 0)
  if (most === 0 && limit === null) return 0
  return 1.15 * (limit !== null && limit < 2.5 * most ? Math.max(limit, most) : most)
}

/** The values that the line goes through; null when there are none. */
export function extentWords(columns: readonly Column[], unit: 'ms' | 'ready'): string | null {
  const values = columns.flatMap(({ worst }) => worst ?? [])
  if (values.length === 0) return null
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (unit === 'ms') return `answers took up to ${duration(high)}`
  return low === high ? `${decimal(high)} ready` : `${decimal(low)} to ${decimal(high)} ready`
}

const height = (value: number, top: number): string =>
  (LINE.bottom - (LINE.bottom - LINE.top) * Math.min(1, value / top)).toFixed(1)

/** One rectangle for each stretch of neighbouring columns of the same height; height 0 draws nothing. */
function stretches(heights: readonly number[], draw: (x: number, width: number, height: number) => string): string {
  let path = ''
  for (let from = 0; from < heights.length;) {
    const high = heights[from] ?? 0
    let to = from + 1
    while (to < heights.length && heights[to] === high) to++
    if (high > 0) path += draw(from, to - from, high)
    from = to
  }
  return path
}

const stripPath = (columns: readonly Column[]): string =>
  stretches(
    columns.map(({ total }) => (total > 0 ? 1 : 0)),
    (x, width) => `M${x} ${STRIP.top}h${width}v${STRIP.height}h-${width}z`,
  )

/** Heights are stepped to fifths of the share, rounded up, so that neighbours join into few rectangles. */
function failedPath(columns: readonly Column[]): string {
  const bottom = STRIP.top + STRIP.height
  const heights = columns.map(({ total, failed }) => (failed === 0 ? 0 : 14 + Math.ceil((failed / total) * 5) * 5))
  return stretches(heights, (x, width, high) => `M${x} ${bottom}v-${high}h${width}v${high}z`)
}

function linePath(columns: readonly Column[], top: number): string {
  let path = ''
  let last: string | null = null
  columns.forEach(({ worst }, x) => {
    const y = worst === null ? null : height(worst, top)
    if (y !== null && y !== last) path += last === null ? `M${x} ${y}h1` : `L${x} ${y}h1`
    else if (y !== null) path += 'h1'
    last = y
  })
  return path.replace(/(?:h1){2,}/g, (steps) => `h${steps.length / 2}`)
}
