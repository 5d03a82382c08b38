import { type CycleOptions } from '@ordeal/shared'

/** Why a cycle must not work in the namespace that it names, whatever is in it. Null when it may, or names none. */
export function refuseInPlace(
  { inPlace, confirmInPlace, cluster }: Pick<CycleOptions, 'inPlace' | 'confirmInPlace' | 'cluster'>,
  isSystem: (name: string) => boolean,
): string | null {
  if (inPlace === null) return null
  if (cluster === 'embedded') return 'an embedded cluster begins empty: there is nothing in place'
  if (isSystem(inPlace)) return `${inPlace} is a system namespace, which Ordeal never touches`
  if (!confirmInPlace) return `faults will hit what runs in namespace ${inPlace}: confirm it (confirmInPlace)`
  return null
}
