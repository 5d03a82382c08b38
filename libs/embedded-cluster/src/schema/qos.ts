import { parseQuantity } from './quantity.js'

type Amounts = Readonly<Record<string, string | number>>

interface Container {
  resources?: { requests?: Amounts; limits?: Amounts }
}

const COUNTED = ['cpu', 'memory'] as const

/** A pod's quality of service: who is evicted first when a node runs short. */
export function qosClass(spec: { containers?: unknown }): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = (Array.isArray(spec.containers) ? spec.containers : []) as Container[]
  if (containers.every(asksForNothing)) return 'BestEffort'
  return containers.every(isBounded) ? 'Guaranteed' : 'Burstable'
}

function asksForNothing({ resources = {} }: Container): boolean {
  return COUNTED.every((name) => resources.requests?.[name] === undefined && resources.limits?.[name] === undefined)
}

/** Limits on all that counts, and requests equal to them. */
function isBounded({ resources = {} }: Container): boolean {
  return COUNTED.every((name) => {
    const limit = resources.limits?.[name]
    if (limit === undefined) return false
    return parseQuantity(resources.requests?.[name] ?? limit) === parseQuantity(limit)
  })
}
