import { type ResourceKey } from '../schema/resources.js'
import { type K8sObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { established } from './established.js'
import { withClaimDefaults } from './claims.js'
import { checkLimits, withLimitDefaults } from './limit-range.js'
import { withPriority } from './priority.js'
import { checkQuota } from './resource-quota.js'
import { checkServiceAccount } from './service-account.js'

/** One step of admission: the object as it goes on. Throws ApiError 403. */
export type Admission = (store: ObjectStore, object: K8sObject) => K8sObject

const POD_STEPS: readonly Admission[] = [withLimitDefaults, withPriority, checkServiceAccount, checkLimits]

const STEPS: Readonly<Partial<Record<ResourceKey, readonly Admission[]>>> = {
  pods: POD_STEPS,
  persistentvolumeclaims: [withClaimDefaults, checkLimits],
  'customresourcedefinitions.apiextensions.k8s.io': [established],
}

/**
 * What the API server does to a new object after validation, by what is in the cluster: defaults of LimitRanges, of
 * priority and storage classes, then limits and quotas. Call it for objects that controllers make, too. Throws
 * ApiError 403 with the reason.
 */
export function admitted(store: ObjectStore, resource: ResourceKey, object: K8sObject): K8sObject {
  const steps = STEPS[resource] ?? []
  const ready = steps.reduce((next, step) => step(store, next), object)
  checkQuota(store, resource, ready)
  return ready
}
