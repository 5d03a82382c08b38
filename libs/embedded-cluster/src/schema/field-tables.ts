import { inert, modelled, only, refused, within, type FieldTable } from './fields.js'
import type { ResourceKey } from './resources.js'

const NAMES = 'names and notes do not change what is simulated'
const SECURITY = 'there are no users, capabilities or kernels to protect'
const IMAGES = 'images are not pulled: each behaves as its profile says'
const LATER = 'comes with a later floor'

const meta = within({
  name: modelled,
  generateName: modelled,
  namespace: modelled,
  labels: modelled,
  annotations: inert(NAMES),
  ownerReferences: modelled,
  finalizers: modelled,
  uid: modelled,
  resourceVersion: modelled,
  creationTimestamp: inert('the server sets it'),
  generation: inert('the server sets it'),
  managedFields: inert('field owners are not tracked'),
  selfLink: inert('no longer used by Kubernetes'),
  deletionTimestamp: inert('the server sets it'),
  deletionGracePeriodSeconds: inert('the server sets it'),
})

const labelSelector = within({ matchLabels: modelled, matchExpressions: modelled })

const handler = {
  exec: modelled,
  httpGet: within({
    path: modelled,
    port: modelled,
    scheme: modelled,
    host: refused('probes go to the pod'),
    httpHeaders: inert('no profile answers by header'),
  }),
  tcpSocket: within({ port: modelled, host: refused('probes go to the pod') }),
}

const probe = within({
  ...handler,
  initialDelaySeconds: modelled,
  periodSeconds: modelled,
  timeoutSeconds: modelled,
  successThreshold: modelled,
  failureThreshold: modelled,
  terminationGracePeriodSeconds: modelled,
})

const keyRef = within({ name: modelled, key: modelled, optional: modelled })

const amounts = within({
  cpu: modelled,
  memory: modelled,
  'ephemeral-storage': inert('disks do not fill up'),
})

const container = within({
  name: modelled,
  image: modelled,
  command: inert(IMAGES),
  args: inert(IMAGES),
  workingDir: inert(IMAGES),
  ports: within({
    name: modelled,
    containerPort: modelled,
    protocol: modelled,
    hostPort: only([0], 'nodes take no traffic'),
    hostIP: only([''], 'nodes take no traffic'),
  }),
  env: within({
    name: modelled,
    value: modelled,
    valueFrom: within({
      configMapKeyRef: keyRef,
      secretKeyRef: keyRef,
      fieldRef: modelled,
      resourceFieldRef: refused(LATER),
    }),
  }),
  envFrom: within({
    prefix: modelled,
    configMapRef: within({ name: modelled, optional: modelled }),
    secretRef: within({ name: modelled, optional: modelled }),
  }),
  resources: within({ requests: amounts, limits: amounts }),
  readinessProbe: probe,
  livenessProbe: probe,
  startupProbe: probe,
  lifecycle: within({
    preStop: within({ exec: modelled, sleep: modelled, httpGet: refused(LATER), tcpSocket: refused(LATER) }),
  }),
  imagePullPolicy: inert(IMAGES),
  terminationMessagePath: inert('containers leave no termination message'),
  terminationMessagePolicy: inert('containers leave no termination message'),
  securityContext: inert(SECURITY),
  stdin: only([false], 'containers take no input'),
  stdinOnce: only([false], 'containers take no input'),
  tty: only([false], 'containers take no input'),
  volumeMounts: inert('files do not change how a profile behaves'),
})

const podSpec = within({
  containers: container,
  restartPolicy: modelled,
  terminationGracePeriodSeconds: modelled,
  nodeSelector: modelled,
  nodeName: modelled,
  topologySpreadConstraints: within({
    maxSkew: modelled,
    topologyKey: modelled,
    labelSelector,
    whenUnsatisfiable: modelled,
    matchLabelKeys: refused(LATER),
    minDomains: refused(LATER),
    nodeAffinityPolicy: only(['Honor'], LATER),
    nodeTaintsPolicy: only(['Ignore'], LATER),
  }),
  volumes: within({
    name: modelled,
    emptyDir: inert('files do not change how a profile behaves'),
    configMap: within({ name: modelled, optional: modelled, items: modelled, defaultMode: inert(SECURITY) }),
    secret: within({ secretName: modelled, optional: modelled, items: modelled, defaultMode: inert(SECURITY) }),
  }),
  securityContext: inert(SECURITY),
  dnsPolicy: only(['ClusterFirst'], 'names are resolved by the cluster'),
  enableServiceLinks: inert('profiles read no service variables'),
  schedulerName: only(['default-scheduler'], 'there is one scheduler'),
  serviceAccountName: inert('access is not checked'),
  serviceAccount: inert('access is not checked'),
  automountServiceAccountToken: inert('access is not checked'),
  hostNetwork: only([false], 'nodes take no traffic'),
  hostPID: only([false], SECURITY),
  hostIPC: only([false], SECURITY),
  shareProcessNamespace: inert(SECURITY),
  imagePullSecrets: inert(IMAGES),
  hostname: inert(NAMES),
  subdomain: refused('headless names of pods are not resolved'),
  priority: only([0], LATER),
  preemptionPolicy: only(['PreemptLowerPriority'], LATER),
  initContainers: only([[]], LATER),
  affinity: only([{}], LATER),
  tolerations: only([[]], LATER),
  priorityClassName: refused(LATER),
})

const template = within({ metadata: meta, spec: podSpec })

const chaosSelector = within({
  namespaces: modelled,
  labelSelectors: modelled,
  expressionSelectors: modelled,
  podPhaseSelectors: modelled,
  pods: modelled,
  annotationSelectors: refused('target by labels or names'),
  fieldSelectors: refused('target by labels or names'),
  nodes: refused('target by labels or names'),
  nodeSelectors: refused('target by labels or names'),
})

const status = inert('the cluster sets it; only the status subresource writes it')
const type = { apiVersion: modelled, kind: modelled, metadata: meta }
const typeWithStatus = { ...type, status }

const record = inert('a record: nothing acts on it')
const EVENT_FIELDS: FieldTable = {
  involvedObject: record,
  reason: record,
  message: record,
  source: record,
  firstTimestamp: record,
  lastTimestamp: record,
  count: record,
  type: record,
  eventTime: record,
  series: record,
  action: record,
  related: record,
  reportingComponent: record,
  reportingInstance: record,
}

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
      taints: refused(LATER),
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
      type: only(['ClusterIP', 'NodePort', 'LoadBalancer'], 'names outside the cluster are not resolved'),
      clusterIP: modelled,
      clusterIPs: modelled,
      ipFamilies: only([['IPv4']], 'the cluster is IPv4 only'),
      ipFamilyPolicy: only(['SingleStack', 'PreferDualStack'], 'the cluster is IPv4 only'),
      internalTrafficPolicy: only(['Cluster'], LATER),
      externalTrafficPolicy: inert('traffic comes from inside the cluster'),
      allocateLoadBalancerNodePorts: inert('traffic comes from inside the cluster'),
      sessionAffinity: only(['None'], LATER),
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
  'deployments.apps': {
    ...typeWithStatus,
    spec: within({
      replicas: modelled,
      selector: labelSelector,
      template,
      strategy: modelled,
      minReadySeconds: modelled,
      revisionHistoryLimit: modelled,
      progressDeadlineSeconds: modelled,
      paused: modelled,
    }),
  },
  'replicasets.apps': {
    ...typeWithStatus,
    spec: within({ replicas: modelled, selector: labelSelector, template, minReadySeconds: modelled }),
  },
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
  'podchaos.chaos-mesh.org': {
    ...typeWithStatus,
    spec: within({
      action: modelled,
      mode: modelled,
      value: modelled,
      selector: chaosSelector,
      duration: modelled,
      gracePeriod: modelled,
      containerNames: modelled,
      remoteCluster: refused('there is one cluster'),
    }),
  },
  'networkchaos.chaos-mesh.org': {
    ...typeWithStatus,
    spec: within({
      action: only(['delay', 'loss', 'partition'], LATER),
      mode: modelled,
      value: modelled,
      selector: chaosSelector,
      duration: modelled,
      direction: modelled,
      target: within({ mode: modelled, value: modelled, selector: chaosSelector }),
      delay: within({
        latency: modelled,
        jitter: modelled,
        correlation: modelled,
        reorder: refused('requests are modelled, not packets'),
      }),
      loss: modelled,
      externalTargets: refused('there is nothing outside the cluster'),
      device: refused('pods have one network'),
      targetDevice: refused('pods have one network'),
      remoteCluster: refused('there is one cluster'),
    }),
  },
}
