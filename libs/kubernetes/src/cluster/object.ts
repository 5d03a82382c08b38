/** An object as the API speaks it: raw JSON, times as strings, unknown fields kept. */
export interface ClusterObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  [field: string]: unknown
}

interface ObjectMeta {
  name: string
  namespace?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  finalizers?: string[]
  ownerReferences?: { kind: string; name: string; uid: string; controller?: boolean }[]
  [field: string]: unknown
}

/** Which object is meant. `namespace` is absent for cluster-scoped ones. */
export interface ObjectRef {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** Which objects are meant. Without `namespace`: those of all namespaces. */
export interface Collection {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly labels?: Record<string, string>
}

/** `Kind/name`. */
export const objectIdOf = (object: ObjectRef): string => `${object.kind}/${object.metadata.name}`

interface ContainerState {
  waiting?: { reason?: string; message?: string }
  running?: { startedAt?: string }
  terminated?: { reason?: string; message?: string; exitCode?: number }
}

export interface ContainerStatus {
  name: string
  ready: boolean
  restartCount: number
  image?: string
  containerID?: string
  state?: ContainerState
  lastState?: ContainerState
}

export interface PodCondition {
  type: string
  status: string
  reason?: string
  message?: string
}

/** What Ordeal reads of a Pod. */
export interface Pod extends ClusterObject {
  spec: {
    nodeName?: string
    hostNetwork?: boolean
    containers: {
      name: string
      image?: string
      ports?: { containerPort: number; name?: string; protocol?: string }[]
      volumeMounts?: { name: string; mountPath: string }[]
      resources?: { requests?: Record<string, string> }
    }[]
  }
  status?: {
    phase?: string
    podIP?: string
    reason?: string
    message?: string
    conditions?: PodCondition[]
    containerStatuses?: ContainerStatus[]
    initContainerStatuses?: ContainerStatus[]
  }
}

/** What Ordeal reads of a Deployment, StatefulSet, ReplicaSet or DaemonSet. */
export interface Controller extends ClusterObject {
  spec: { replicas?: number; selector?: { matchLabels?: Record<string, string> } }
  status?: {
    observedGeneration?: number
    replicas?: number
    updatedReplicas?: number
    readyReplicas?: number
    availableReplicas?: number
    currentNumberScheduled?: number
    desiredNumberScheduled?: number
    numberReady?: number
    updatedNumberScheduled?: number
    conditions?: { type: string; status: string; reason?: string; message?: string }[]
  }
}

/** What Ordeal reads of a Service. */
export interface ServiceObject extends ClusterObject {
  spec: {
    /** `None` for a headless one. */
    clusterIP?: string
    selector?: Record<string, string>
    ports?: { port: number; targetPort?: number | string; name?: string; protocol?: string }[]
  }
}

/** What Ordeal reads of an Event. */
export interface EventObject extends ClusterObject {
  involvedObject: { kind: string; name: string; namespace?: string; uid?: string }
  reason?: string
  message?: string
  type?: string
  firstTimestamp?: string | null
  lastTimestamp?: string | null
  eventTime?: string | null
}

export const isReadyPod = (pod: Pod): boolean =>
  !pod.metadata.deletionTimestamp &&
  (pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false)
