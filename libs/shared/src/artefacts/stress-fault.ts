import { z } from 'zod'
import { actionOf, containers, percent, positive } from './fault-fields.js'

const MOST_WORKERS = 8192
const workers = positive.max(MOST_WORKERS, { error: `must be at most ${MOST_WORKERS}` })
/** The programs run with the daemon's rights: an argument may not name a file. */
const argument = z.string().regex(/^(--[a-z][a-z0-9-]*(=[A-Za-z0-9%.]+)?|[A-Za-z0-9%.]+)$/, {
  error: "must be an option or a value of stress-ng, such as '--cpu-method' or 'fft', and no path",
})
const options = z.array(argument).optional()

const cpu = z.strictObject({
  workers,
  /** Of each worker's processor; without it all of it. */
  loadPercent: percent.int().optional(),
  options,
})
const memory = z.strictObject({
  workers,
  /** Of each worker, as `256MB` or a share of all memory as `50%`; without it all there is. */
  size: z
    .string()
    .regex(/^(\d+(\.\d+)?([kmgt]i?b?|b)?|100%|\d{1,2}%)$/i, { error: "must be a size, such as '256MB', or '50%'" })
    .optional(),
  /** How gladly the kernel ends it when memory is short, -1000 to 1000. */
  oomScoreAdj: z.number({ error: 'must be from -1000 to 1000' }).int().min(-1000).max(1000).optional(),
  options,
})

export const stressFault = z.discriminatedUnion('action', [
  actionOf('StressChaos', 'cpu', z.strictObject({ cpu, containers })),
  actionOf('StressChaos', 'memory', z.strictObject({ memory, containers })),
  actionOf('StressChaos', 'cpu-and-memory', z.strictObject({ cpu, memory, containers })),
  /** Any stressor of stress-ng, by its command line. */
  actionOf('StressChaos', 'stress-ng', z.strictObject({ arguments: z.array(argument).min(1), containers })),
])
