import { z } from 'zod'
import { actionOf, containers, text, wholeNumber } from './fault-fields.js'
import { functionalFault } from './functional-fault.js'
import { httpFault } from './http-fault.js'
import { ioFault } from './io-fault.js'
import { networkFault } from './network-fault.js'
import { stressFault } from './stress-fault.js'

export { targetRule } from './fault-fields.js'

const podFault = z.discriminatedUnion('action', [
  actionOf(
    'PodChaos',
    'pod-kill',
    z.strictObject({ gracePeriodSeconds: wholeNumber.nonnegative({ error: 'must be 0 or more' }).optional() }),
  ),
  actionOf('PodChaos', 'pod-failure', z.strictObject({})),
  /** Without `containers`: all of the pod's. */
  actionOf('PodChaos', 'container-kill', z.strictObject({ containers })),
])

/** Names with `*` at the end and `?`; without them every name. */
const names = z.strictObject({ patterns: z.array(text).min(1).optional(), containers })
const dnsFault = z.discriminatedUnion('action', [
  /** Look-ups fail. */
  actionOf('DNSChaos', 'error', names),
  /** Look-ups give addresses that lead nowhere. */
  actionOf('DNSChaos', 'random', names),
])

const CLOCKS = [
  ...['CLOCK_REALTIME', 'CLOCK_MONOTONIC', 'CLOCK_PROCESS_CPUTIME_ID', 'CLOCK_THREAD_CPUTIME_ID'],
  ...['CLOCK_MONOTONIC_RAW', 'CLOCK_REALTIME_COARSE', 'CLOCK_MONOTONIC_COARSE', 'CLOCK_BOOTTIME'],
]
const timeFault = z.discriminatedUnion('action', [
  actionOf(
    'TimeChaos',
    'offset',
    z.strictObject({
      /** Ahead, or behind when negative. */
      offsetMs: wholeNumber.refine((ms) => ms !== 0, { error: 'must not be 0' }),
      clocks: z
        .array(z.enum(CLOCKS, { error: `must be a clock of Linux: ${CLOCKS.join(', ')}` }))
        .min(1)
        .optional(),
      containers,
    }),
  ),
])

/** One disturbance, aimed by a frozen rule: of a kind and action of Chaos Mesh, or a functional one. */
export const faultSchema = z.discriminatedUnion('kind', [
  podFault,
  networkFault,
  dnsFault,
  httpFault,
  stressFault,
  ioFault,
  timeFault,
  functionalFault,
])
export type Fault = z.infer<typeof faultSchema>
/** What Chaos Mesh injects. */
export type ChaosFault = Exclude<Fault, { kind: 'Functional' }>
/** Kinds of Chaos Mesh. */
export type FaultKind = ChaosFault['kind']
/** The faults of one kind: `FaultOf<'HTTPChaos'>`. */
export type FaultOf<K extends Fault['kind']> = Extract<Fault, { kind: K }>

/** When a fault is over, in ms from the start of its step. */
export const faultEndMs = ({ startAfterMs = 0, durationMs }: Pick<Fault, 'startAfterMs' | 'durationMs'>): number =>
  startAfterMs + durationMs

/** How long a step of a scenario lasts: until the last of its faults is over. */
export const stepLengthMs = (step: readonly Fault[]): number => Math.max(0, ...step.map(faultEndMs))
