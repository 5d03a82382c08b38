/** What a fault does to names that a pod asks for. */
export interface NameRule {
  /** Name of the fault, by which the rule is taken away again. */
  readonly source: string
  readonly action: 'error' | 'random'
  /** Names that it concerns, with `?` for one character and `*` at the end for any; none means every name. */
  readonly patterns: readonly string[]
}

export type NameVerdict = NameRule['action'] | null

/** A resolver tries names with fewer dots than this in the cluster's domains first (`ndots:5`). */
const NDOTS = 5

/**
 * What becomes of a look-up. `known` tells whether a full name has an answer. A failed attempt is followed by the next
 * name to try, so an error counts where the name would have been found; a random answer counts wherever it is given.
 */
export function nameVerdict(
  rules: readonly NameRule[],
  { host, namespace }: { host: string; namespace: string },
  known: (name: string) => boolean,
): NameVerdict {
  let failed = false
  for (const name of namesToTry(host, namespace)) {
    const hit = rules.find(({ patterns }) => patterns.length === 0 || patterns.some((one) => matches(one, name)))
    if (hit?.action === 'random') return 'random'
    if (hit) failed = true
    else if (known(name)) return null
  }
  return failed ? 'error' : null
}

function namesToTry(host: string, namespace: string): string[] {
  if (host.endsWith('.')) return [host.slice(0, -1)]
  const inCluster = [`${namespace}.svc.cluster.local`, 'svc.cluster.local', 'cluster.local'].map(
    (one) => `${host}.${one}`,
  )
  return host.split('.').length - 1 < NDOTS ? [...inCluster, host] : [host, ...inCluster]
}

/** As Chaos Mesh's DNS server matches: `*` stands at the end only, `?` for one character. */
function matches(pattern: string, name: string): boolean {
  const open = pattern.endsWith('*')
  const fixed = open ? pattern.slice(0, -1) : pattern
  if (open ? name.length < fixed.length : name.length !== fixed.length) return false
  return [...fixed].every((character, index) => character === '?' || character === name[index])
}
