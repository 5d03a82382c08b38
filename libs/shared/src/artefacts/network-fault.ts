import { z } from 'zod'
import { objectId } from './graph.js'
import { actionOf, correlation, milliseconds, percent, positive, selector, text, wholeNumber } from './fault-fields.js'

/** Which packets of the targets are meant. Without `peer` and `externalTargets`: all that they send. */
const packets = {
  /** `to`: what the targets send; `from`: what they are sent; `both`. */
  direction: z.enum(['to', 'from', 'both'], { error: 'must be to, from or both' }).optional(),
  /** The other side; without it any direction but `to` means all pods of the application. */
  peer: z.object({ component: objectId, selector }).optional(),
  /** Addresses, ranges and names outside of the cluster that belong to the other side. */
  externalTargets: z.array(text).min(1).optional(),
  /** Network interface at the targets, and at the other side. */
  device: text.optional(),
  peerDevice: text.optional(),
}

const reorder = { percent, gap: positive, correlation }
const delay = {
  latencyMs: milliseconds,
  jitterMs: milliseconds.optional(),
  correlation,
  reorder: z.strictObject(reorder).optional(),
}
const loss = { lossPercent: percent, correlation }
const duplicate = { duplicatePercent: percent, correlation }
const corrupt = { corruptPercent: percent, correlation }
/** As `tc` writes it: `1mbps` is a megabyte, `1mbit` a megabit a second. */
const rate = z.string().regex(/^\d+(bit|kbit|mbit|gbit|tbit|bps|kbps|mbps|gbps|tbps)$/, {
  error: "must be a whole number with a unit, such as '10mbit' or '1mbps' (megabytes)",
})

const network = <A extends string, S extends z.ZodRawShape>(action: A, shape: S) =>
  actionOf('NetworkChaos', action, z.strictObject({ ...packets, ...shape }))

const mixtureOf = z.strictObject({
  ...packets,
  delay: z.strictObject(delay).optional(),
  loss: z.strictObject(loss).optional(),
  duplicate: z.strictObject(duplicate).optional(),
  corrupt: z.strictObject(corrupt).optional(),
  rate: rate.optional(),
})
const mixture = mixtureOf.refine((p) => p.delay || p.loss || p.duplicate || p.corrupt || p.rate, {
  error: 'must have at least one of delay, loss, duplicate, corrupt and rate',
})

export const networkFault = z.discriminatedUnion('action', [
  network('delay', delay),
  network('loss', loss),
  network('duplicate', duplicate),
  network('corrupt', corrupt),
  network('bandwidth', {
    rate,
    limitBytes: positive,
    bufferBytes: positive,
    peakRateBytes: wholeNumber.nonnegative().optional(),
    minBurstBytes: wholeNumber.nonnegative().optional(),
  }),
  network('partition', { refusal: z.enum(['drop', 'reject'], { error: 'must be drop or reject' }).optional() }),
  /** Several of them in one. */
  actionOf('NetworkChaos', 'netem', mixture),
])
