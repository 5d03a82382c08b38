import { type Pod } from '@ordeal/kubernetes'
import { type Fault } from '@ordeal/shared'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { isLive, listPods, readOwners, type OwnerOf } from '../sandbox/owners.js'

/** The pods that a rule means, as things stand, and `Kind/name` of the components that they belong to. */
interface Meant {
  readonly pods: readonly Pod[]
  readonly components: readonly string[]
}

/** The pods that a fault's frozen rule means; those that it may hit. */
export interface Targets extends Meant {
  readonly fault: Fault
  /** How many of them it must hit. */
  readonly expected: number
  /** How many pods the component has, on whichever nodes. */
  readonly size: number
  /** The other side of a NetworkChaos that names one. */
  readonly peers?: Meant
}

/** Resolves the rules of all faults before anything is injected. Finished pods are no targets. */
export async function resolveTargets(sandbox: Sandbox, faults: readonly Fault[]): Promise<Targets[]> {
  const ownerOf = await readOwners(sandbox)
  const resolved: Targets[] = []
  for (const fault of faults) {
    const { size, ...meant } = await meantBy(sandbox, fault.target, ownerOf)
    const peer = fault.kind === 'NetworkChaos' ? fault.parameters.peer : undefined
    resolved.push({
      ...meant,
      size,
      fault: named(fault, meant.pods),
      expected: expectedOf(fault, meant.pods.length),
      ...(peer && { peers: await meantBy(sandbox, { ...peer, mode: 'all' }, ownerOf) }),
    })
  }
  return resolved
}

async function meantBy(
  sandbox: Sandbox,
  { selector, mode }: Pick<Fault['target'], 'selector' | 'mode'>,
  ownerOf: OwnerOf,
): Promise<Meant & { readonly size: number }> {
  const candidates = (await listPods(sandbox, selector)).filter(isLive)
  const pods = mode === 'node' ? onFullestNode(candidates) : candidates
  return { pods, components: [...new Set(pods.map(ownerOf))], size: candidates.length }
}

/** Those on the node that holds most of them; of several such nodes, the first by name. */
function onFullestNode(pods: readonly Pod[]): Pod[] {
  const byNode = [...Map.groupBy(pods, (pod) => pod.spec.nodeName ?? '')]
  const [fullest] = byNode.toSorted(([a, own], [b, other]) => other.length - own.length || a.localeCompare(b))
  return fullest?.[1] ?? []
}

function expectedOf({ target }: Fault, candidates: number): number {
  if (target.mode === 'all' || target.mode === 'node') return candidates
  return Math.min(target.mode === 'one' ? 1 : (target.count ?? 1), candidates)
}

/** Chaos Mesh wants to hear which containers to kill; a rule that names none means all of them. */
function named(fault: Fault, pods: readonly Pod[]): Fault {
  if (fault.kind !== 'PodChaos' || fault.action !== 'container-kill' || fault.parameters.containers) return fault
  const containers = [...new Set(pods.flatMap((p) => p.spec.containers.map((c) => c.name)))]
  return { ...fault, parameters: { ...fault.parameters, containers } }
}
