import { type ProberConfig, type SampleLine } from '@ordeal/prober'
import { DeadlineError, type Windows } from '@ordeal/shared'
import { ProberLostError, type RunningProber } from '../prober/prober-pod.js'
import { type RunFault } from '../run/fault.js'
import { loadProbeId, resourcesOf } from './effect-probes.js'
import { withMeasuredEffects } from './measured-effects.js'
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

/** Figures come late: the last of those taken during a fault are known this long after it. */
const LAST_MS = 30_000

/** Waits for the last figures of faults that put a load on their targets, as long as they have not shown otherwise. */
export async function awaitLastFigures(
  { cluster, context }: Sandbox,
  prober: RunningProber,
  { faults, windows }: { readonly faults: readonly RunFault[]; readonly windows: Windows },
): Promise<void> {
  const loading = faults.filter(({ targets, injection }) => {
    return targets.fault.kind === 'StressChaos' && injection.injectedAt !== null && injection.recoveredAt !== null
  })
  if (loading.length === 0) return
  const check = async () => {
    const lines = await prober.samples()
    return loading.every((fault) => isShown(fault, lines, windows) || isPast(fault, lines)) || undefined
  }
  const wait = { what: 'the last figures', withinMs: LAST_MS, watch: [], everyMs: LOOK_MS, check }
  try {
    await cluster.clock.waitFor(wait, context.signal)
  } catch (error) {
    // A prober that is lost is noticed by whoever listens to it.
    if (!(error instanceof DeadlineError || error instanceof ProberLostError)) throw error
  }
}

const isShown = (fault: RunFault, lines: readonly SampleLine[], windows: Windows): boolean =>
  withMeasuredEffects(fault, lines, windows).injection.evidence.effect !== null

const isPast = ({ injection, targets: { fault } }: RunFault, lines: readonly SampleLine[]): boolean =>
  injection.targets.every((pod) =>
    resourcesOf(fault).every((resource) => {
      const id = loadProbeId(fault.id, pod, resource)
      return lines.some(({ probe, takenAt }) => probe === id && (takenAt ?? 0) > (injection.recoveredAt ?? 0))
    }),
  )
