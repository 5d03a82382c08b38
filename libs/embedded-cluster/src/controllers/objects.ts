import { type LabelSelector } from '../schema/selectors.js'
import { type StoredObject } from '../store/object.js'

/** The parts of Kubernetes objects that the embedded cluster's controllers read, as validated by the API server. */

export type Labels = Record<string, string>

export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason?: string
  message?: string
  lastTransitionTime?: string
  lastUpdateTime?: string
  lastProbeTime?: string | null
  observedGeneration?: number
}

export interface KeyReference {
  name?: string
  key: string
  optional?: boolean
}
export interface EnvVar {
  name: string
  value?: string
  valueFrom?: {
    fieldRef?: { fieldPath: string }
    configMapKeyRef?: KeyReference
    secretKeyRef?: KeyReference
  }
}
export interface EnvSource {
  prefix?: string
  configMapRef?: { name?: string; optional?: boolean }
  secretRef?: { name?: string; optional?: boolean }
}

export interface Probe {
  httpGet?: { path?: string; port: number | string; scheme?: string; host?: string }
  tcpSocket?: { port: number | string; host?: string }
  exec?: { command?: string[] }
  initialDelaySeconds?: number
  periodSeconds?: number
  timeoutSeconds?: number
  successThreshold?: number
  failureThreshold?: number
  terminationGracePeriodSeconds?: number
}

export interface ContainerPort {
  name?: string
  containerPort: number
  protocol?: string
}
export type Quantities = Record<string, string | number>

export interface Container {
  name: string
  image: string
  imagePullPolicy?: string
  command?: string[]
  args?: string[]
  ports?: ContainerPort[]
  env?: EnvVar[]
  envFrom?: EnvSource[]
  resources?: { requests?: Quantities; limits?: Quantities }
  readinessProbe?: Probe
  livenessProbe?: Probe
  startupProbe?: Probe
  lifecycle?: { preStop?: { sleep?: { seconds: number }; exec?: { command?: string[] } } }
  volumeMounts?: { name: string; mountPath: string }[]
}

export interface Volume {
  name: string
  configMap?: { name?: string; optional?: boolean }
  secret?: { secretName?: string; optional?: boolean }
  [source: string]: unknown
}

export interface TopologySpreadConstraint {
  maxSkew: number
  topologyKey: string
  whenUnsatisfiable: string
  labelSelector?: LabelSelector
}

export interface PodSpec {
  containers: Container[]
  nodeName?: string
  nodeSelector?: Labels
  serviceAccountName?: string
  restartPolicy?: 'Always' | 'OnFailure' | 'Never'
  terminationGracePeriodSeconds?: number
  topologySpreadConstraints?: TopologySpreadConstraint[]
  volumes?: Volume[]
  [field: string]: unknown
}

export interface ContainerState {
  waiting?: { reason: string; message?: string }
  running?: { startedAt: string }
  terminated?: {
    exitCode: number
    signal?: number
    reason: string
    message?: string
    startedAt: string
    finishedAt: string
    containerID: string
  }
}
export interface ContainerStatus {
  name: string
  state: ContainerState
  lastState: ContainerState
  ready: boolean
  restartCount: number
  image: string
  imageID: string
  containerID?: string
  started: boolean
}
export interface PodStatus {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed'
  conditions?: Condition[]
  reason?: string
  message?: string
  hostIP?: string
  hostIPs?: { ip: string }[]
  podIP?: string
  podIPs?: { ip: string }[]
  startTime?: string
  containerStatuses?: ContainerStatus[]
  qosClass?: string
  observedGeneration?: number
}
export interface Pod extends StoredObject {
  spec: PodSpec
  status?: PodStatus
}

export interface PodTemplate {
  metadata?: { labels?: Labels; annotations?: Labels }
  spec: PodSpec
}
export interface ReplicaSet extends StoredObject {
  spec: { replicas?: number; minReadySeconds?: number; selector: LabelSelector; template: PodTemplate }
  status?: ReplicaSetStatus
}
export interface ReplicaSetStatus {
  replicas: number
  fullyLabeledReplicas?: number
  readyReplicas?: number
  availableReplicas?: number
  observedGeneration?: number
  conditions?: Condition[]
}

export interface DeploymentSpec {
  replicas?: number
  minReadySeconds?: number
  revisionHistoryLimit?: number
  progressDeadlineSeconds?: number
  paused?: boolean
  selector: LabelSelector
  strategy?: { type?: string; rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string } }
  template: PodTemplate
}
export interface Deployment extends StoredObject {
  spec: DeploymentSpec
  status?: DeploymentStatus
}
export interface DeploymentStatus {
  observedGeneration?: number
  replicas?: number
  updatedReplicas?: number
  readyReplicas?: number
  availableReplicas?: number
  unavailableReplicas?: number
  collisionCount?: number
  conditions?: Condition[]
}

export interface ServicePort {
  name?: string
  port: number
  targetPort?: number | string
  protocol?: string
}
export interface Service extends StoredObject {
  spec: {
    clusterIP?: string
    selector?: Labels
    ports?: ServicePort[]
    publishNotReadyAddresses?: boolean
    type?: string
    [field: string]: unknown
  }
}

export interface Endpoint {
  addresses: string[]
  conditions: { ready: boolean; serving: boolean; terminating: boolean }
  nodeName?: string
  zone?: string
  targetRef?: { kind: string; name: string; namespace: string; uid: string }
}
export interface EndpointSlice extends StoredObject {
  addressType: string
  endpoints: Endpoint[]
  ports: { name: string; port: number; protocol: string }[]
}

export interface Node extends StoredObject {
  spec: { podCIDR?: string; unschedulable?: boolean; [field: string]: unknown }
  status: { allocatable: Quantities; addresses: { type: string; address: string }[]; [field: string]: unknown }
}

export interface PodDisruptionBudget extends StoredObject {
  spec: { minAvailable?: number | string; maxUnavailable?: number | string; selector?: LabelSelector }
}

export const isReady = (pod: Pod): boolean => conditionOf(pod.status?.conditions, 'Ready')?.status === 'True'

/** Not on its way out and not ended. */
export function isActive(pod: Pod): boolean {
  const phase = pod.status?.phase
  return phase !== 'Succeeded' && phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined
}

/** Ready for at least so long, at that time (ms). */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const ready = conditionOf(pod.status?.conditions, 'Ready')
  if (ready?.status !== 'True') return false
  return minReadySeconds === 0 || Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1000 <= nowMs
}

export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type)
}

/** `namespace/name`. */
export const keyOf = (object: StoredObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`

export function splitKey(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/')
  return [key.slice(0, slash), key.slice(slash + 1)]
}
