import { type SampleLine } from '@ordeal/prober'

/** From and to an instant of the cluster's clock, ms since the Unix epoch. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** An Event of Kubernetes or Chaos Mesh, each time it was written. */
export interface TraceEvent {
  readonly at: number
  /** `Kind/name` of what it is about. */
  readonly object: string
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
}

/** A pod came, went, or changed whether it may be counted on. */
export interface PodChange {
  readonly at: number
  /** `namespace/name` */
  readonly pod: string
  readonly change: 'created' | 'ready' | 'not-ready' | 'restarted' | 'deleted'
}

/** What a fault's own object last said. */
export interface FaultRecord {
  /** `Kind/name` */
  readonly object: string
  readonly conditions: Readonly<Record<string, boolean>>
  readonly targets: readonly {
    readonly id: string
    readonly phase: string
    readonly injectedCount: number
    readonly recoveredCount: number
  }[]
}

/** What happened while a plan was carried out: plain data, equal for equal input. */
export type Trace =
  | {
      readonly settled: true
      /** Virtual ms from the first object to the start of the pre window. */
      readonly settledAfterMs: number
      readonly windows: { readonly pre: Interval; readonly fault: Interval; readonly post: Interval }
      /** By time; of one instant in the order in which they were written. */
      readonly samples: readonly SampleLine[]
      readonly events: readonly TraceEvent[]
      readonly pods: readonly PodChange[]
      readonly faults: readonly FaultRecord[]
      readonly assumptions: readonly string[]
    }
  | {
      /** The application never came to work within its time, so nothing was done to it. */
      readonly settled: false
      /** What it waited for, in words. */
      readonly waiting: readonly string[]
      readonly events: readonly TraceEvent[]
      readonly assumptions: readonly string[]
    }
