import { KUBERNETES_VERSION } from './api/discovery.js'
import { timestamp, type K8sObject } from './store/object.js'

const CAPACITY = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '110' }
const VERSION = `v${KUBERNETES_VERSION}`

/** The nodes of a new cluster: node-1, node-2, …, each in a zone of its own. */
export function nodeObjects(nowMs: number, count: number): K8sObject[] {
  return Array.from({ length: count }, (_, index) => nodeObject(index, timestamp(nowMs)))
}

function nodeObject(index: number, now: string): K8sObject {
  const name = `node-${index + 1}`
  const cidr = `10.244.${index}.0/24`
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/hostname': name,
        'topology.kubernetes.io/region': 'region-1',
        'topology.kubernetes.io/zone': `zone-${index + 1}`,
      },
    },
    spec: { podCIDR: cidr, podCIDRs: [cidr] },
    status: {
      capacity: CAPACITY,
      allocatable: CAPACITY,
      conditions: conditions(now),
      addresses: [
        { type: 'InternalIP', address: `10.0.0.${11 + index}` },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: {
        kubeletVersion: VERSION,
        kubeProxyVersion: '',
        containerRuntimeVersion: 'containerd://2.1.4',
        operatingSystem: 'linux',
        architecture: 'amd64',
        osImage: 'embedded',
        kernelVersion: 'embedded',
        machineID: name,
        systemUUID: name,
        bootID: name,
      },
    },
  }
}

function conditions(now: string) {
  const healthy = [
    ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
    ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
    ['Ready', 'KubeletReady', 'kubelet is posting ready status'],
  ]
  return healthy.map(([type, reason, message]) => ({
    type,
    status: type === 'Ready' ? 'True' : 'False',
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  }))
}
