import { type ProberConfig } from '@ordeal/prober'
import { retireProber, startProber, type RunningProber } from '../prober/prober-pod.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'

/** A second prober, beside the application: where a fault has two sides, it is on the other one. */
export const besideTargets = (sandbox: Sandbox): Sandbox => ({ ...sandbox, proberNamespace: sandbox.namespace })

const witnessName = (revision: number): string => `ordeal-witness-r${revision}`

/** Starts the run's witness, if any fault wants one. */
export async function startWitness(sandbox: Sandbox, probes: ProberConfig['probes']): Promise<RunningProber | null> {
  if (probes.length === 0) return null
  return startProber(besideTargets(sandbox), witnessName(sandbox.context.revision), { probes })
}

/** Removes the witness of an attempt that was cut short. */
export const retireWitness = (sandbox: Sandbox): Promise<void> =>
  retireProber(besideTargets(sandbox), witnessName(sandbox.context.revision))
