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
    resourceFieldRef?: { containerName?: string; resource: string; divisor?: string | number }
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
  hostPort?: number
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
  /** Of an init container only: it is a sidecar, which runs as long as the pod. */
  restartPolicy?: 'Always'
  lifecycle?: { preStop?: { sleep?: { seconds: number }; exec?: { command?: string[] } } }
  volumeMounts?: { name: string; mountPath: string }[]
}

export interface Volume {
  name: string
  configMap?: { name?: string; optional?: boolean }
  secret?: { secretName?: string; optional?: boolean }
  persistentVolumeClaim?: { claimName: string }
  projected?: {
    sources?: {
      configMap?: { name?: string; optional?: boolean }
      secret?: { name?: string; optional?: boolean }
    }[]
  }
  [source: string]: unknown
}

export interface TopologySpreadConstraint {
  maxSkew: number
  topologyKey: string
  whenUnsatisfiable: string
  labelSelector?: LabelSelector
  matchLabelKeys?: string[]
  minDomains?: number
  nodeAffinityPolicy?: string
  nodeTaintsPolicy?: string
}

export interface NodeSelectorTerm {
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
  matchFields?: { key: string; operator: string; values?: string[] }[]
}
export interface PodAffinityTerm {
  labelSelector?: LabelSelector
  topologyKey: string
  namespaces?: string[]
  namespaceSelector?: LabelSelector
}
export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodAffinityTerm }[]
}
export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] }
    preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeSelectorTerm }[]
  }
  podAffinity?: PodAffinity
  podAntiAffinity?: PodAffinity
}
export interface Toleration {
  key?: string
  operator?: string
  value?: string
  effect?: string
  tolerationSeconds?: number
}
export interface Taint {
  key: string
  value?: string
  effect: string
  timeAdded?: string
}

export interface PodSpec {
  containers: Container[]
  initContainers?: Container[]
  affinity?: Affinity
  tolerations?: Toleration[]
  priority?: number
  preemptionPolicy?: string
  hostname?: string
  subdomain?: string
  activeDeadlineSeconds?: number
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
  initContainerStatuses?: ContainerStatus[]
  containerStatuses?: ContainerStatus[]
  nominatedNodeName?: string
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

export interface ControllerRevision extends StoredObject {
  revision: number
  data: unknown
}

export interface ClaimTemplate {
  metadata: { name: string; labels?: Labels; annotations?: Labels }
  spec: ClaimSpec
}
export interface StatefulSet extends StoredObject {
  spec: {
    replicas?: number
    serviceName?: string
    selector: LabelSelector
    template: PodTemplate
    minReadySeconds?: number
    podManagementPolicy?: string
    revisionHistoryLimit?: number
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } }
    ordinals?: { start?: number }
    volumeClaimTemplates?: ClaimTemplate[]
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string }
  }
  status?: StatefulSetStatus
}
export interface StatefulSetStatus {
  observedGeneration?: number
  replicas: number
  readyReplicas?: number
  availableReplicas?: number
  currentReplicas?: number
  updatedReplicas?: number
  currentRevision?: string
  updateRevision?: string
  collisionCount?: number
}

export interface DaemonSet extends StoredObject {
  spec: {
    selector: LabelSelector
    template: PodTemplate
    minReadySeconds?: number
    revisionHistoryLimit?: number
    updateStrategy?: { type?: string; rollingUpdate?: { maxUnavailable?: number | string } }
  }
}

export interface JobSpec {
  parallelism?: number
  completions?: number
  backoffLimit?: number
  activeDeadlineSeconds?: number
  ttlSecondsAfterFinished?: number
  suspend?: boolean
  selector?: LabelSelector
  template: PodTemplate
}
export interface Job extends StoredObject {
  spec: JobSpec
  status?: JobStatus
}
export interface JobStatus {
  conditions?: Condition[]
  startTime?: string
  completionTime?: string
  active?: number
  ready?: number
  succeeded?: number
  failed?: number
  terminating?: number
  uncountedTerminatedPods?: object
}
export interface CronJob extends StoredObject {
  spec: {
    schedule: string
    suspend?: boolean
    concurrencyPolicy?: string
    startingDeadlineSeconds?: number
    successfulJobsHistoryLimit?: number
    failedJobsHistoryLimit?: number
    jobTemplate: { metadata?: { labels?: Labels; annotations?: Labels }; spec: JobSpec }
  }
  status?: { active?: object[]; lastScheduleTime?: string; lastSuccessfulTime?: string }
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
    externalName?: string
    sessionAffinity?: string
    sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } }
    [field: string]: unknown
  }
}

export interface Endpoint {
  addresses: string[]
  hostname?: string
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
  spec: { podCIDR?: string; unschedulable?: boolean; taints?: Taint[]; [field: string]: unknown }
  status: { allocatable: Quantities; addresses: { type: string; address: string }[]; [field: string]: unknown }
}

export interface ClaimSpec {
  accessModes?: string[]
  resources?: { requests?: Quantities }
  storageClassName?: string
  volumeName?: string
  selector?: LabelSelector
}
export interface PersistentVolumeClaim extends StoredObject {
  spec: ClaimSpec
  status?: { phase: 'Pending' | 'Bound' | 'Lost'; accessModes?: string[]; capacity?: Quantities }
}
export interface PersistentVolume extends StoredObject {
  spec: {
    capacity?: Quantities
    accessModes?: string[]
    persistentVolumeReclaimPolicy?: string
    storageClassName?: string
    claimRef?: { name?: string; namespace?: string; uid?: string }
    nodeAffinity?: { required?: { nodeSelectorTerms: NodeSelectorTerm[] } }
    [field: string]: unknown
  }
  status?: { phase: string }
}
export interface StorageClass extends StoredObject {
  provisioner: string
  reclaimPolicy?: string
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
  if (conditions) for (const condition of conditions) if (condition.type === type) return condition
  return undefined
}

/** `namespace/name`. */
export const keyOf = (object: StoredObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`

export function splitKey(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/')
  return [key.slice(0, slash), key.slice(slash + 1)]
}
