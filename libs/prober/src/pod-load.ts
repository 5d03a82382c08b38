/** What the metrics API says of one pod. */
interface PodMetrics {
  readonly metadata?: { readonly name?: string }
  /** The end of the time over which it was measured. */
  readonly timestamp?: string
  readonly containers?: readonly { readonly usage?: Readonly<Record<string, string>> }[]
}

export interface Load {
  /** Millicores of processor, or bytes of memory, of all its containers. */
  readonly value: number
  /** Milliseconds since the Unix epoch. */
  readonly takenAt: number
}

/** How much of a resource a pod uses, among PodMetrics; null where nothing is known of it yet. */
export function loadOf(objects: readonly unknown[], pod: string, resource: 'cpu' | 'memory'): Load | null {
  const found = objects.map((object) => object as PodMetrics).find(({ metadata }) => metadata?.name === pod)
  const amounts = (found?.containers ?? []).map(({ usage }) => quantity(usage?.[resource]))
  const takenAt = Date.parse(found?.timestamp ?? '')
  if (amounts.length === 0 || amounts.some(Number.isNaN) || Number.isNaN(takenAt)) return null
  return { value: amounts.reduce((sum, n) => sum + n, 0) * (resource === 'cpu' ? 1000 : 1), takenAt }
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
}

/** NaN for what is no quantity. */
function quantity(text = ''): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(text) ?? []
  return Number(number || Number.NaN) * (UNITS[unit] ?? Number.NaN)
}
