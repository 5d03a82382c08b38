import { inert, modelled, only, refused, within, type FieldTable } from './fields.js'
import { FILES, labelSelector, meta, NAMES, type, typeWithStatus } from './fields-common.js'
import { template } from './fields-pod.js'
import type { ResourceKey } from './resources.js'

/** What a claim asks for: of PersistentVolumeClaims and of the templates in StatefulSets. */
export const claimSpec = within({
  accessModes: modelled,
  resources: within({ requests: modelled, limits: inert('volumes do not fill up') }),
  storageClassName: modelled,
  selector: labelSelector,
  volumeName: modelled,
  volumeMode: inert(FILES),
  volumeAttributesClassName: inert(FILES),
  dataSource: refused('volumes start empty'),
  dataSourceRef: refused('volumes start empty'),
})

const common: FieldTable = { selector: labelSelector, template, minReadySeconds: modelled }

const INDEXED = 'the pods of a job are all alike'
const POLICIES = 'a job fails by its limits and succeeds by its completions only'
const jobSpec = within({
  parallelism: modelled,
  completions: modelled,
  backoffLimit: modelled,
  activeDeadlineSeconds: modelled,
  ttlSecondsAfterFinished: modelled,
  suspend: modelled,
  selector: labelSelector,
  manualSelector: modelled,
  template,
  completionMode: only(['NonIndexed'], INDEXED),
  podReplacementPolicy: only(['TerminatingOrFailed'], 'a pod is replaced as soon as it ends'),
  podFailurePolicy: refused(POLICIES),
  successPolicy: refused(POLICIES),
  backoffLimitPerIndex: refused(INDEXED),
  maxFailedIndexes: refused(INDEXED),
  managedBy: refused('there is one job controller'),
})

/** What becomes of the fields of workloads. */
export const WORKLOAD_TABLES: Readonly<Partial<Record<ResourceKey, FieldTable>>> = {
  'deployments.apps': {
    ...typeWithStatus,
    spec: within({
      ...common,
      replicas: modelled,
      strategy: modelled,
      revisionHistoryLimit: modelled,
      progressDeadlineSeconds: modelled,
      paused: modelled,
    }),
  },
  'replicasets.apps': { ...typeWithStatus, spec: within({ ...common, replicas: modelled }) },
  'statefulsets.apps': {
    ...typeWithStatus,
    spec: within({
      ...common,
      replicas: modelled,
      serviceName: modelled,
      podManagementPolicy: modelled,
      updateStrategy: within({
        type: modelled,
        rollingUpdate: within({ partition: modelled, maxUnavailable: inert('off by default in Kubernetes 1.34') }),
      }),
      revisionHistoryLimit: modelled,
      ordinals: modelled,
      persistentVolumeClaimRetentionPolicy: modelled,
      volumeClaimTemplates: within({
        apiVersion: inert(NAMES),
        kind: inert(NAMES),
        metadata: meta,
        spec: claimSpec,
        status: inert('a template has none'),
      }),
    }),
  },
  'daemonsets.apps': {
    ...typeWithStatus,
    spec: within({
      ...common,
      updateStrategy: within({
        type: modelled,
        rollingUpdate: within({
          maxUnavailable: modelled,
          maxSurge: only([0, '0%'], 'a node gets its new pod when the old one is gone'),
        }),
      }),
      revisionHistoryLimit: modelled,
    }),
  },
  'controllerrevisions.apps': { ...type, data: modelled, revision: modelled },
  'jobs.batch': { ...typeWithStatus, spec: jobSpec },
  'cronjobs.batch': {
    ...typeWithStatus,
    spec: within({
      schedule: modelled,
      suspend: modelled,
      concurrencyPolicy: modelled,
      startingDeadlineSeconds: modelled,
      successfulJobsHistoryLimit: modelled,
      failedJobsHistoryLimit: modelled,
      timeZone: only(['UTC', 'Etc/UTC'], 'the cluster keeps UTC'),
      jobTemplate: within({ metadata: meta, spec: jobSpec }),
    }),
  },
}
