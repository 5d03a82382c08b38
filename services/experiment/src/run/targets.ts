import { type Pod } from '@ordeal/kubernetes'
import { type Fault } from '@ordeal/shared'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { isLive, listPods, readOwners } from '../sandbox/owners.js'

/** The pods that a fault's frozen rule means, as things stand. */
export interface Targets {
  readonly fault: Fault
  /** Those that it may hit. */
  readonly pods: readonly Pod[]
  /** How many of them it must hit. */
  readonly expected: number
  /** `Kind/name` of the components that they belong to. */
  readonly components: readonly string[]
}

/** Resolves the rules of all faults before anything is injected. Finished pods are no targets. */
export async function resolveTargets(sandbox: Sandbox, faults: readonly Fault[]): Promise<Targets[]> {
  const ownerOf = await readOwners(sandbox)
  const resolved: Targets[] = []
  for (const fault of faults) {
    const candidates = (await listPods(sandbox, fault.target.selector)).filter(isLive)
    const pods = fault.target.mode === 'node' ? onFullestNode(candidates) : candidates
    const components = [...new Set(pods.map(ownerOf))]
    resolved.push({ fault: named(fault, pods), pods, expected: expectedOf(fault, pods.length), components })
  }
  return resolved
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
