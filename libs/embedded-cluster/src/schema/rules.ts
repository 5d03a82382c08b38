import type { StatusCause } from '../store/api-error.js'
import type { K8sObject, StoredObject } from '../store/object.js'
import type { ResourceKey } from './resources.js'
import { bindingCauses, clusterRoleCauses, roleCauses } from './rules-access.js'
import { autoscalerCauses } from './rules-autoscaling.js'
import { cronJobCauses, jobCauses } from './rules-batch.js'
import {
  dnsChaosCauses,
  httpChaosCauses,
  networkChaosCauses,
  podChaosCauses,
  stressChaosCauses,
} from './rules-chaos.js'
import { configMapCauses, secretCauses } from './rules-data.js'
import { ingressCauses } from './rules-ingress.js'
import { networkPolicyCauses } from './rules-network.js'
import { podCauses } from './rules-pod.js'
import { serviceCauses } from './rules-service.js'
import { daemonSetCauses, statefulSetCauses } from './rules-sets.js'
import { claimCauses, volumeCauses } from './rules-storage.js'
import { budgetCauses, deploymentCauses, replicaSetCauses } from './rules-workload.js'

/** What a schema cannot say about an object; `old` is the stored one on an update. */
export type Rule = (object: K8sObject, old?: StoredObject) => StatusCause[]

export const RULES: Readonly<Partial<Record<ResourceKey, Rule>>> = {
  pods: podCauses,
  services: serviceCauses,
  configmaps: configMapCauses,
  secrets: secretCauses,
  'deployments.apps': deploymentCauses,
  'replicasets.apps': replicaSetCauses,
  'statefulsets.apps': statefulSetCauses,
  'daemonsets.apps': daemonSetCauses,
  'jobs.batch': jobCauses,
  'cronjobs.batch': cronJobCauses,
  persistentvolumeclaims: claimCauses,
  persistentvolumes: volumeCauses,
  'poddisruptionbudgets.policy': budgetCauses,
  'horizontalpodautoscalers.autoscaling': autoscalerCauses,
  'ingresses.networking.k8s.io': ingressCauses,
  'networkpolicies.networking.k8s.io': networkPolicyCauses,
  'roles.rbac.authorization.k8s.io': roleCauses,
  'clusterroles.rbac.authorization.k8s.io': clusterRoleCauses,
  'rolebindings.rbac.authorization.k8s.io': bindingCauses,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingCauses,
  'podchaos.chaos-mesh.org': podChaosCauses,
  'networkchaos.chaos-mesh.org': networkChaosCauses,
  'stresschaos.chaos-mesh.org': stressChaosCauses,
  'dnschaos.chaos-mesh.org': dnsChaosCauses,
  'httpchaos.chaos-mesh.org': httpChaosCauses,
}
