import type { ImageProfilesInput } from '../images/image-profile.js'
import type { Kernel } from '../kernel/kernel.js'
import type { StoredObject } from '../store/object.js'
import type { ObjectStore } from '../store/store.js'

/**
 * What the API server needs of an engine. The server itself does what an API server does: validation, defaults,
 * cluster IPs, the four system namespaces, namespace deletion, deletion marks (a pod's grace period; `orphan` and
 * `foregroundDeletion` as finalizers). Everything that acts on objects afterwards (garbage collection, controllers,
 * scheduler, kubelets, traffic, faults) lives behind this port and hears of objects through the store.
 */
export interface Engine {
  readonly kernel: Kernel
  readonly store: ObjectStore

  /** What was taken for granted so far, in sentences for people. */
  readonly assumptions: readonly string[]

  /**
   * The log of a container, oldest line first. `container` null means the pod's only one. Throws ApiError as the API
   * server words it: 404 when the pod is not there, 400 when the container is waiting or must be named.
   */
  logs(request: LogRequest): readonly LogLine[]

  /** Calls the listener for every later line of the container, until the returned function is called. */
  followLogs?(request: LogRequest, listener: (line: LogLine) => void): () => void

  /** CPU and memory of each running pod in the last whole window of metrics; null until it has one. */
  usageOf(pod: StoredObject): PodUsage | null

  /** Ends what the engine holds outside the kernel; the engine is not used afterwards. */
  close(): void
}

/** What a pod's containers used, as metrics-server reads it. */
export interface PodUsage {
  readonly containers: readonly { readonly name: string; readonly cpuCores: number; readonly memoryBytes: number }[]
  /** When the window ended, ms since the Unix epoch. */
  readonly endMs: number
}

export interface LogRequest {
  namespace: string
  pod: string
  container: string | null
  /** The log of the instance before the last restart. */
  previous: boolean
}

export interface LogLine {
  /** When it was written, in virtual milliseconds since the Unix epoch. */
  at: number
  /** Without the line break. */
  text: string
}

/** `virtual`: time moves only by the clock endpoint. `wall`: it runs at the speed of the wall clock. */
export type ClockMode = 'virtual' | 'wall'

export interface EngineOptions {
  seed: number
  startMs: number
  mode: ClockMode
  /** How images behave that are not built in. */
  images?: ImageProfilesInput
}

export type CreateEngine = (options: EngineOptions) => Engine
