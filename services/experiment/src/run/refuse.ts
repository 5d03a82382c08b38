import {
  CHAOS_API,
  isChaosFault,
  isSystemNamespace,
  objectIdOf,
  type ClusterObject,
  type Pod,
} from '@ordeal/kubernetes'
import { type Fault, type Run } from '@ordeal/shared'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { type Targets } from './targets.js'

export type Problem = NonNullable<Run['problem']>

/** Where faults are to be injected. */
interface Place {
  readonly namespace: string
  /** Kinds of faults that the cluster does not have. */
  readonly unknown: ReadonlySet<Fault['kind']>
}

/** Why a fault must not be injected, or cannot be; null when nothing speaks against it. */
type Guard = (targets: Targets, place: Place) => Problem | null

const refused = ({ fault }: Targets, why: string): Problem => ({
  reason: 'refused',
  message: `fault ${fault.id} is refused: ${why}`,
})

const isSystem: Guard = (targets, { namespace }) =>
  isSystemNamespace(namespace) ? refused(targets, `${namespace} is a system namespace`) : null

const isUnknown: Guard = (targets, { unknown }) => {
  const { kind } = targets.fault
  return unknown.has(kind)
    ? refused(targets, `the cluster has no ${kind} (${CHAOS_API}); choose another fault or cluster`)
    : null
}

const isEmptySelector: Guard = (targets) =>
  Object.keys(targets.fault.target.selector).length === 0
    ? refused(targets, 'its rule selects every pod of the namespace')
    : null

const hasNoTargets: Guard = ({ fault, pods }) =>
  pods.length === 0
    ? { reason: 'no-targets', message: `fault ${fault.id} has no target: no running pod of ${fault.target.component}` }
    : null

const hasNoPeers: Guard = ({ fault, peers }) =>
  peers?.pods.length === 0
    ? { reason: 'no-targets', message: `fault ${fault.id} has no other side: no running pod of its peer` }
    : null

const isTooWide: Guard = (targets) => {
  const { components, fault, peers } = targets
  if (components.length > 1) {
    return refused(targets, `it is meant for ${fault.target.component}, but would hit ${components.join(', ')}`)
  }
  return peers && peers.components.length > 1
    ? refused(targets, `its other side is meant to be one component, but is ${peers.components.join(', ')}`)
    : null
}

/** Kinds that change the network of a pod, which is that of its node where it shares it. */
const IN_NETWORK = new Set<Fault['kind']>(['NetworkChaos', 'HTTPChaos'])

const sharesHostNetwork: Guard = (targets) => {
  const { fault, pods, peers } = targets
  if (!IN_NETWORK.has(fault.kind)) return null
  const [shared] = [...pods, ...(peers?.pods ?? [])].filter((p) => p.spec.hostNetwork)
  return shared
    ? refused(
        targets,
        `pod ${shared.metadata.name} uses its node's network, which others share; give it one of its own`,
      )
    : null
}

/** Chaos Mesh never lets go of a fault on a path that is no volume. */
const isNotMounted: Guard = (targets) => {
  const { fault, pods } = targets
  if (fault.kind !== 'IOChaos') return null
  const { volumePath, containers } = fault.parameters
  const without = pods.find((pod) => !mountsOf(pod, containers).includes(plain(volumePath)))
  if (!without) return null
  const mounts = mountsOf(without, containers).join(', ') || 'none'
  return refused(
    targets,
    `volumePath ${volumePath} is no mount path of a volume in pod ${without.metadata.name}; it has ${mounts}`,
  )
}

const plain = (path: string): string => path.replace(/(?<=.)\/+$/, '')

const mountsOf = ({ spec }: Pod, names: readonly string[] | undefined): string[] =>
  spec.containers
    .filter(({ name }, index) => (names ? names.includes(name) : index === 0))
    .flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ mountPath }) => plain(mountPath)))

const namesNobody: Guard = (targets) => {
  const { fault, pods } = targets
  for (const name of containersOf(fault)) {
    const without = pods.find(({ spec }) => !spec.containers.some((container) => container.name === name))
    if (without) return refused(targets, `pod ${without.metadata.name} has no container ${name}`)
  }
  return null
}

const containersOf = ({ parameters }: Fault): readonly string[] =>
  'containers' in parameters ? (parameters.containers ?? []) : []

const GUARDS: readonly Guard[] = [
  ...[isSystem, isUnknown, isEmptySelector, hasNoTargets, hasNoPeers, isTooWide],
  ...[sharesHostNetwork, namesNobody, isNotMounted],
]

/** The first reason not to inject any of the faults; null when there is none. */
export function refuse(targets: readonly Targets[], place: Place): Problem | null {
  for (const target of targets) {
    for (const guard of GUARDS) {
      const reason = guard(target, place)
      if (reason) return reason
    }
  }
  return null
}

/** What a fault meets in a cluster: which kinds it has is asked, not guessed from what it is. */
export async function placeOf({ cluster, namespace }: Sandbox, faults: readonly Fault[]): Promise<Place> {
  const kinds = [...new Set(faults.filter(isChaosFault).map(({ kind }) => kind))]
  const known = await Promise.all(kinds.map((kind) => cluster.objects.knows({ apiVersion: CHAOS_API, kind })))
  return { namespace, unknown: new Set(kinds.filter((_, index) => !known[index])) }
}

/** In place, others may live in the namespace too: whoever is not of the application is no target. */
export function refuseForeign(
  { place, namespace }: Pick<Sandbox, 'place' | 'namespace'>,
  targets: readonly Targets[],
  objects: readonly ClusterObject[],
): Problem | null {
  if (place.mode !== 'in-place') return null
  const own = new Set(objects.map(objectIdOf))
  for (const { fault, components } of targets) {
    const foreign = components.find((component) => !own.has(component))
    if (!foreign) continue
    const why = `it would hit ${foreign}, which stands in namespace ${namespace} and is not of the input`
    return { reason: 'refused', message: `fault ${fault.id} is refused: ${why}` }
  }
  return null
}
