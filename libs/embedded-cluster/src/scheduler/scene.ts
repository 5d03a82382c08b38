import { type Pod } from '../controllers/objects.js'
import { type ObjectStore } from '../store/store.js'
import { type NodeLoad } from './node-load.js'
import { type PodGroups } from './pod-groups.js'

/** The nodes as they are, or as they would be. */
export interface Nodes {
  readonly loads: readonly NodeLoad[]
  readonly groups: PodGroups
  /** Pods that are still in the groups, and would be gone. */
  readonly gone: readonly Pod[]
}

/** What the scheduler looks at while it places one pod. What follows from the pod and all nodes is found once. */
export class Scene {
  private readonly found = new Map<unknown, unknown>()

  constructor(
    readonly store: ObjectStore,
    readonly pod: Pod,
    readonly nodes: Nodes,
  ) {}

  get loads(): readonly NodeLoad[] {
    return this.nodes.loads
  }

  /** The value of a key, made when it is first asked for. */
  once<T>(key: unknown, make: () => T): T {
    if (!this.found.has(key)) this.found.set(key, make())
    return this.found.get(key) as T
  }
}

/** Why a node will not do. */
export interface Refusal {
  readonly reasons: readonly string[]
  /** Whether the node might do if it had fewer pods. */
  readonly resolvable: boolean
}

/** One condition on a node; null when it holds. */
export type Filter = (scene: Scene, load: NodeLoad) => Refusal | null

export const never = (reason: string): Refusal => ({ reasons: [reason], resolvable: false })
export const unless = (reason: string): Refusal => ({ reasons: [reason], resolvable: true })
