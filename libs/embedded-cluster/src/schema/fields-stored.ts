import { inert, modelled, only, refused, within, type FieldTable } from './fields.js'
import { ACCESS, FILES, labelSelector, NAMES, type, typeWithStatus } from './fields-common.js'
import { claimSpec } from './fields-workloads.js'
import type { ResourceKey } from './resources.js'

const INGRESS = 'one controller serves every Ingress, of whatever class'

const VOLUME_SOURCES = [
  ...['awsElasticBlockStore', 'azureDisk', 'azureFile', 'cephfs', 'cinder', 'csi', 'fc', 'flexVolume', 'flocker'],
  ...['gcePersistentDisk', 'glusterfs', 'hostPath', 'iscsi', 'local', 'nfs', 'photonPersistentDisk'],
  ...['portworxVolume', 'quobyte', 'rbd', 'scaleIO', 'storageos', 'vsphereVolume'],
]

const rules: FieldTable = { ...type, rules: modelled }
const binding: FieldTable = { ...type, roleRef: modelled, subjects: modelled }

const CUSTOM = 'custom resources are kept as they are: nothing acts on them'
const METRICS = 'only metrics of resources are measured'
const metricTarget = within({
  type: modelled,
  averageUtilization: modelled,
  averageValue: modelled,
  value: refused('a resource is compared per pod'),
})
const scalingRules = within({
  policies: modelled,
  selectPolicy: modelled,
  stabilizationWindowSeconds: modelled,
  tolerance: modelled,
})
const autoscalerSpec = within({
  scaleTargetRef: modelled,
  minReplicas: modelled,
  maxReplicas: modelled,
  behavior: within({ scaleUp: scalingRules, scaleDown: scalingRules }),
  metrics: within({
    type: only(['Resource', 'ContainerResource'], METRICS),
    resource: within({ name: only(['cpu', 'memory'], METRICS), target: metricTarget }),
    containerResource: within({ name: only(['cpu', 'memory'], METRICS), container: modelled, target: metricTarget }),
    object: refused(METRICS),
    pods: refused(METRICS),
    external: refused(METRICS),
  }),
})

const policyPeers = within({
  podSelector: labelSelector,
  namespaceSelector: labelSelector,
  ipBlock: within({ cidr: modelled, except: modelled }),
})
const policyPorts = within({ port: modelled, endPort: modelled, protocol: modelled })
const networkPolicySpec = within({
  podSelector: labelSelector,
  policyTypes: modelled,
  ingress: within({ from: policyPeers, ports: policyPorts }),
  egress: within({ to: policyPeers, ports: policyPorts }),
})

const ingressBackend = within({
  service: within({ name: modelled, port: within({ number: modelled, name: modelled }) }),
  resource: refused('requests are routed to services only'),
})
const ingressSpec = within({
  ingressClassName: inert(INGRESS),
  defaultBackend: ingressBackend,
  rules: within({
    host: modelled,
    http: within({ paths: within({ path: modelled, pathType: modelled, backend: ingressBackend }) }),
  }),
  tls: inert('the controller speaks plain HTTP'),
})

/** What becomes of the fields of volumes, access, limits and of kinds that are kept without effect. */
export const STORED_TABLES: Readonly<Partial<Record<ResourceKey, FieldTable>>> = {
  persistentvolumeclaims: { ...typeWithStatus, spec: claimSpec },
  persistentvolumes: {
    ...typeWithStatus,
    spec: within({
      capacity: modelled,
      accessModes: modelled,
      persistentVolumeReclaimPolicy: modelled,
      storageClassName: modelled,
      claimRef: modelled,
      nodeAffinity: modelled,
      mountOptions: inert(FILES),
      volumeMode: inert(FILES),
      volumeAttributesClassName: inert(FILES),
      ...Object.fromEntries(VOLUME_SOURCES.map((source) => [source, inert(FILES)])),
    }),
  },
  'storageclasses.storage.k8s.io': {
    ...type,
    provisioner: inert('every class makes volumes alike'),
    parameters: inert('every class makes volumes alike'),
    reclaimPolicy: modelled,
    volumeBindingMode: inert('claims are bound at once; a volume has its place from its first use'),
    allowVolumeExpansion: inert('volumes do not fill up'),
    mountOptions: inert(FILES),
    allowedTopologies: refused('a volume is made where it is first used'),
  },
  serviceaccounts: {
    ...type,
    automountServiceAccountToken: inert(ACCESS),
    imagePullSecrets: inert(ACCESS),
    secrets: inert(ACCESS),
  },
  'roles.rbac.authorization.k8s.io': rules,
  'clusterroles.rbac.authorization.k8s.io': { ...rules, aggregationRule: modelled },
  'rolebindings.rbac.authorization.k8s.io': binding,
  'clusterrolebindings.rbac.authorization.k8s.io': binding,
  'priorityclasses.scheduling.k8s.io': {
    ...type,
    value: modelled,
    globalDefault: modelled,
    preemptionPolicy: modelled,
    description: inert(NAMES),
  },
  limitranges: { ...type, spec: within({ limits: modelled }) },
  resourcequotas: {
    ...typeWithStatus,
    spec: within({
      hard: modelled,
      scopes: refused('quotas count all pods of their namespace'),
      scopeSelector: refused('quotas count all pods of their namespace'),
    }),
  },
  'horizontalpodautoscalers.autoscaling': { ...typeWithStatus, spec: autoscalerSpec },
  'customresourcedefinitions.apiextensions.k8s.io': {
    ...typeWithStatus,
    spec: within({
      group: modelled,
      names: modelled,
      scope: modelled,
      versions: within({
        name: modelled,
        served: modelled,
        storage: modelled,
        subresources: within({ status: modelled, scale: refused('custom resources are not scaled') }),
        schema: inert(CUSTOM),
        additionalPrinterColumns: inert(CUSTOM),
        selectableFields: inert(CUSTOM),
        deprecated: inert(CUSTOM),
        deprecationWarning: inert(CUSTOM),
      }),
      conversion: within({
        strategy: only(['None'], 'objects are kept in the version in which they came'),
        webhook: refused('objects are kept in the version in which they came'),
      }),
      preserveUnknownFields: inert(CUSTOM),
    }),
  },
  'ingresses.networking.k8s.io': { ...typeWithStatus, spec: ingressSpec },
  'ingressclasses.networking.k8s.io': { ...type, spec: inert(INGRESS) },
  'networkpolicies.networking.k8s.io': { ...type, spec: networkPolicySpec },
}
