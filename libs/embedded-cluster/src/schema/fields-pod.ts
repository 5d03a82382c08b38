import { inert, modelled, only, refused, within, type FieldTable } from './fields.js'
import { ACCESS, FILES, IMAGES, labelSelector, meta, NAMES, SECURITY } from './fields-common.js'

const HOOK = 'a hook that calls a program takes no time'

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

const containerFields: FieldTable = {
  name: modelled,
  image: modelled,
  command: modelled,
  args: modelled,
  workingDir: inert(IMAGES),
  ports: within({
    name: modelled,
    containerPort: modelled,
    protocol: modelled,
    hostPort: modelled,
    hostIP: inert('a port of a node is taken on all its addresses'),
  }),
  env: within({
    name: modelled,
    value: modelled,
    valueFrom: within({
      configMapKeyRef: keyRef,
      secretKeyRef: keyRef,
      fieldRef: modelled,
      resourceFieldRef: modelled,
      fileKeyRef: refused('volumes hold no files to read variables from'),
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
    preStop: within({ exec: modelled, sleep: modelled, httpGet: inert(HOOK), tcpSocket: inert(HOOK) }),
    postStart: inert(HOOK),
    stopSignal: inert('every signal to stop is taken for SIGTERM'),
  }),
  imagePullPolicy: inert(IMAGES),
  terminationMessagePath: inert('containers leave no termination message'),
  terminationMessagePolicy: inert('containers leave no termination message'),
  securityContext: inert(SECURITY),
  stdin: only([false], 'containers take no input'),
  stdinOnce: only([false], 'containers take no input'),
  tty: only([false], 'containers take no input'),
  volumeMounts: inert(FILES),
  volumeDevices: inert(FILES),
  resizePolicy: inert('containers are not resized in place'),
}
const container = within(containerFields)
const initContainer = within({
  ...containerFields,
  restartPolicy: only(['Always'], 'any other is for Kubernetes 1.35'),
})

const selectorTerms = within({ matchExpressions: modelled, matchFields: modelled })
const KEYS = 'selectors mean what is written in them only'
const podAffinityTerm: FieldTable = {
  labelSelector,
  topologyKey: modelled,
  namespaces: modelled,
  namespaceSelector: labelSelector,
  matchLabelKeys: refused(KEYS),
  mismatchLabelKeys: refused(KEYS),
}
const podAffinity = within({
  requiredDuringSchedulingIgnoredDuringExecution: within(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: within({
    weight: modelled,
    podAffinityTerm: within(podAffinityTerm),
  }),
})
const affinity = within({
  nodeAffinity: within({
    requiredDuringSchedulingIgnoredDuringExecution: within({ nodeSelectorTerms: selectorTerms }),
    preferredDuringSchedulingIgnoredDuringExecution: within({ weight: modelled, preference: selectorTerms }),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
})

const configMapFiles: FieldTable = { name: modelled, optional: modelled, items: modelled }

export const podSpec = within({
  containers: container,
  initContainers: initContainer,
  activeDeadlineSeconds: modelled,
  restartPolicy: modelled,
  terminationGracePeriodSeconds: modelled,
  nodeSelector: modelled,
  nodeName: modelled,
  topologySpreadConstraints: within({
    maxSkew: modelled,
    topologyKey: modelled,
    labelSelector,
    whenUnsatisfiable: modelled,
    matchLabelKeys: modelled,
    minDomains: modelled,
    nodeAffinityPolicy: modelled,
    nodeTaintsPolicy: modelled,
  }),
  volumes: within({
    name: modelled,
    emptyDir: inert(FILES),
    configMap: within({ ...configMapFiles, defaultMode: inert(SECURITY) }),
    secret: within({ secretName: modelled, optional: modelled, items: modelled, defaultMode: inert(SECURITY) }),
    persistentVolumeClaim: within({ claimName: modelled, readOnly: inert(FILES) }),
    projected: within({
      defaultMode: inert(SECURITY),
      sources: within({
        configMap: within(configMapFiles),
        secret: within(configMapFiles),
        downwardAPI: inert(FILES),
        serviceAccountToken: inert(ACCESS),
      }),
    }),
    downwardAPI: inert(FILES),
    hostPath: inert(FILES),
    nfs: inert(FILES),
    csi: inert(FILES),
  }),
  securityContext: inert(SECURITY),
  affinity,
  tolerations: modelled,
  dnsPolicy: only(['ClusterFirst', 'ClusterFirstWithHostNet'], 'names are resolved by the cluster'),
  dnsConfig: inert('names are resolved by the cluster'),
  enableServiceLinks: inert('profiles read no service variables'),
  schedulerName: only(['default-scheduler'], 'there is one scheduler'),
  serviceAccountName: modelled,
  serviceAccount: modelled,
  automountServiceAccountToken: inert(ACCESS),
  hostNetwork: inert('every pod has an address of its own'),
  hostPID: inert(SECURITY),
  hostIPC: inert(SECURITY),
  hostUsers: inert(SECURITY),
  shareProcessNamespace: inert(SECURITY),
  imagePullSecrets: inert(IMAGES),
  hostname: modelled,
  subdomain: modelled,
  setHostnameAsFQDN: inert(NAMES),
  priority: modelled,
  priorityClassName: modelled,
  preemptionPolicy: modelled,
  runtimeClassName: inert('all containers run alike'),
  os: inert('all nodes are alike'),
})

export const template = within({ metadata: meta, spec: podSpec })
