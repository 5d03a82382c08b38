import { isSystemNamespace } from '@ordeal/kubernetes'
import { type CycleOptions } from '@ordeal/shared'
import { UsageError } from '../errors.js'
import { type Terminal } from '../terminal/terminal.js'

/**
 * Consent to faults on what stands in a namespace already: by an option, or by whoever sits at the terminal. Throws
 * UsageError where it cannot be had, or must not be given.
 */
export async function confirmInPlace(cycle: CycleOptions, { ask }: Pick<Terminal, 'ask'>): Promise<CycleOptions> {
  const { inPlace, cluster } = cycle
  if (inPlace === null) return cycle
  if (cluster === 'embedded') {
    throw new UsageError('an embedded cluster begins empty: there is nothing in place', 'Name a CONTEXT with --cluster')
  }
  if (isSystemNamespace(inPlace)) {
    throw new UsageError(`${inPlace} is a system namespace, which Ordeal never touches`, 'Name another with --in-place')
  }
  if (cycle.confirmInPlace) return cycle
  const what = `Faults will hit what runs in namespace ${inPlace} of ${cluster}`
  if (!ask) throw new UsageError(what, 'Confirm it with --confirm-in-place')
  if ((await ask(`${what}. Type the name of the namespace to go on: `)).trim() === inPlace) {
    return { ...cycle, confirmInPlace: true }
  }
  throw new UsageError(`namespace ${inPlace} was not confirmed`, 'Nothing was done')
}
