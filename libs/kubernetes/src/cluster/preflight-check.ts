import { type Api } from './api.js'
import { type ClusterObject } from './object.js'
import { type Paths } from './paths.js'

/** A namespace that is wanted. */
export interface WantedNamespace {
  readonly name: string
  /** Whether the one that is there may be used. */
  readonly owned: (found: ClusterObject) => boolean
}

/** Something that must be allowed, in one namespace or (without) in the whole cluster. */
export interface Need {
  readonly apiVersion: string
  readonly kind: string
  readonly verbs: readonly string[]
  readonly namespace?: string
  /** `log` of Pods, for instance. */
  readonly subresource?: string
}

/** What somebody wants to do to a cluster. */
export interface PreflightRequest {
  /** Namespaces that will be made, or found as an earlier attempt left them. */
  readonly namespaces: readonly WantedNamespace[]
  /** What must be allowed. */
  readonly needs: readonly Need[]
}

/** What speaks against it, in sentences for people. */
export interface Preflight {
  /** Any of these: nothing may be begun. */
  readonly refusals: readonly string[]
  /** Nothing can be begun as things stand, though it may be possible before long. */
  readonly hindrances?: readonly string[]
  /** To be known, but no reason to stop. */
  readonly warnings: readonly string[]
}

/** One look at the cluster. */
export type Check = (api: Api, paths: Paths, request: PreflightRequest) => Promise<Preflight>

export const FINE: Preflight = { refusals: [], warnings: [] }
