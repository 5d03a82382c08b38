import { type Results } from '@ordeal/shared'
import { duration } from './format.js'

/** A fault that was to go, or a component that was to come back. */
export interface Return {
  readonly what: string
  /** When it did, in words; null when it did not. */
  readonly when: string | null
  /** Why it did not, where that is known. */
  readonly why: string | null
}

/** What went and what came back after the faults of a run. When steady states were normal again stands with their checks. */
export const returnsOf = ({ injections, recovery = [] }: Results['runs'][number]): Return[] => [
  ...injections.flatMap(({ fault, goneAfterMs }) =>
    goneAfterMs === undefined
      ? []
      : [{ what: `fault ${fault}`, when: `gone ${duration(goneAfterMs)} after its removal began`, why: null }],
  ),
  ...recovery.map(({ component, healthyAfterMs, problem }) => ({
    what: component,
    when: healthyAfterMs === null ? null : `healthy ${after(healthyAfterMs)}`,
    why: problem,
  })),
]

const after = (ms: number): string => (ms === 0 ? 'by the end of the fault' : `${duration(ms)} after the fault`)
