import { CHAOS_TABLES } from './fields-chaos.js'
import { inert, modelled, only, within, type FieldTable } from './fields.js'
import { EVENT_FIELDS, labelSelector, NAMES, type, typeWithStatus } from './fields-common.js'
import { podSpec } from './fields-pod.js'
import { STORED_TABLES } from './fields-stored.js'
import { WORKLOAD_TABLES } from './fields-workloads.js'
import type { ResourceKey } from './resources.js'

/** The one table of what every field of every accepted kind does. */
export const FIELD_TABLES: Readonly<Partial<Record<ResourceKey, FieldTable>>> = {
  namespaces: { ...typeWithStatus, spec: within({ finalizers: modelled }) },
  nodes: {
    ...typeWithStatus,
    spec: within({
      unschedulable: modelled,
      podCIDR: inert(NAMES),
      podCIDRs: inert(NAMES),
      providerID: inert(NAMES),
      taints: modelled,
    }),
  },
  pods: { ...typeWithStatus, spec: podSpec },
  services: {
    ...typeWithStatus,
    spec: within({
      selector: modelled,
      ports: within({
        name: modelled,
        port: modelled,
        targetPort: modelled,
        protocol: modelled,
        nodePort: inert('traffic comes from inside the cluster'),
        appProtocol: inert(NAMES),
      }),
      type: modelled,
      clusterIP: modelled,
      clusterIPs: modelled,
      ipFamilies: only([['IPv4']], 'the cluster is IPv4 only'),
      ipFamilyPolicy: only(['SingleStack', 'PreferDualStack'], 'the cluster is IPv4 only'),
      internalTrafficPolicy: only(['Cluster'], 'every node routes to the endpoints of all nodes'),
      externalTrafficPolicy: inert('traffic comes from inside the cluster'),
      allocateLoadBalancerNodePorts: inert('traffic comes from inside the cluster'),
      sessionAffinity: modelled,
      sessionAffinityConfig: within({ clientIP: within({ timeoutSeconds: modelled }) }),
      externalName: modelled,
      externalIPs: inert('traffic comes from inside the cluster'),
      publishNotReadyAddresses: modelled,
      loadBalancerIP: inert('traffic comes from inside the cluster'),
      loadBalancerSourceRanges: inert('traffic comes from inside the cluster'),
      loadBalancerClass: inert('traffic comes from inside the cluster'),
      healthCheckNodePort: inert('traffic comes from inside the cluster'),
    }),
  },
  configmaps: { ...type, data: modelled, binaryData: modelled, immutable: modelled },
  secrets: { ...type, data: modelled, stringData: modelled, type: modelled, immutable: modelled },
  events: { ...type, ...EVENT_FIELDS },
  ...WORKLOAD_TABLES,
  ...STORED_TABLES,
  'endpointslices.discovery.k8s.io': { ...type, addressType: modelled, endpoints: modelled, ports: modelled },
  'poddisruptionbudgets.policy': {
    ...typeWithStatus,
    spec: within({
      minAvailable: modelled,
      maxUnavailable: modelled,
      selector: labelSelector,
      unhealthyPodEvictionPolicy: modelled,
    }),
  },
  ...CHAOS_TABLES,
}
