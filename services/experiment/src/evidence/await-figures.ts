import { type ProberConfig } from '@ordeal/prober'
import { DeadlineError } from '@ordeal/shared'
import { type RunningProber } from '../prober/prober-pod.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'

/** The metrics API knows a new pod after one or two of its rounds. */
const FIGURES_MS = 90_000
const LOOK_MS = 2000

/**
 * Waits until it is known what each target uses without a fault: with nothing to compare, nothing can stand out. Where
 * that does not come, the run goes on, and its faults must show in another way.
 */
export async function awaitFigures(
  { cluster, context }: Sandbox,
  prober: RunningProber,
  probes: ProberConfig['probes'],
): Promise<void> {
  const wanted = probes.filter(({ kind }) => kind === 'load').map(({ id }) => id)
  if (wanted.length === 0) return
  const check = async () => {
    const known = new Set(
      (await prober.samples()).flatMap(({ probe, takenAt }) => (takenAt === undefined ? [] : probe)),
    )
    return wanted.every((id) => known.has(id)) || undefined
  }
  const wait = { what: 'figures of what the targets use', withinMs: FIGURES_MS, watch: [], everyMs: LOOK_MS, check }
  try {
    await cluster.clock.waitFor(wait, context.signal)
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    context.progress({ kind: 'note', message: `${error.message}; the faults must show in another way` })
  }
}
