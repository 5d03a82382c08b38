import { CHAOS_API } from '@ordeal/kubernetes'
import { type Scenario } from './scenario.js'

const VERSIONS: Readonly<Record<string, string>> = {
  ConfigMap: 'v1',
  Event: 'v1',
  LimitRange: 'v1',
  Namespace: 'v1',
  Node: 'v1',
  PersistentVolume: 'v1',
  PersistentVolumeClaim: 'v1',
  Pod: 'v1',
  ResourceQuota: 'v1',
  Secret: 'v1',
  Service: 'v1',
  ServiceAccount: 'v1',
  DaemonSet: 'apps/v1',
  Deployment: 'apps/v1',
  ReplicaSet: 'apps/v1',
  StatefulSet: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  CronJob: 'batch/v1',
  Job: 'batch/v1',
  EndpointSlice: 'discovery.k8s.io/v1',
  Ingress: 'networking.k8s.io/v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  PodDisruptionBudget: 'policy/v1',
  PriorityClass: 'scheduling.k8s.io/v1',
  PodChaos: CHAOS_API,
  NetworkChaos: CHAOS_API,
  StressChaos: CHAOS_API,
  DNSChaos: CHAOS_API,
  HTTPChaos: CHAOS_API,
}

/** Throws for a kind that the corpus does not know. */
export function versionOf(kind: string): string {
  const version = VERSIONS[kind]
  if (!version) throw new Error(`the corpus does not know the kind ${kind}`)
  return version
}

export const isChaos = (kind: string): boolean => VERSIONS[kind] === CHAOS_API

/** Kinds whose objects others make. */
const MADE_BY: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['ReplicaSet'],
  CronJob: ['Job'],
  Service: ['EndpointSlice'],
  StatefulSet: ['PersistentVolumeClaim'],
}
/** Kinds without a state worth following, and those of the whole cluster. */
const SILENT = new Set(['ConfigMap', 'Secret', 'LimitRange', 'PriorityClass', 'Node', 'PersistentVolume', 'Service'])

/** Kinds whose changes are recorded: pods, events, and what the scenario itself brings, with what that brings. */
export function recordedKinds({ steps }: Scenario): readonly string[] {
  const applied = steps.flatMap((step) => ('apply' in step ? step.apply.map(({ kind }) => kind) : []))
  const made = applied.flatMap((kind) => MADE_BY[kind] ?? [])
  return [...new Set(['Pod', 'Event', ...applied, ...made])].filter((kind) => !SILENT.has(kind))
}
