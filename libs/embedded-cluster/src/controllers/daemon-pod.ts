import { type NewPod } from './create-pod.js'
import { type DaemonSet, type Toleration } from './objects.js'
import { REVISION_HASH } from './revisions.js'

/** What does not keep a pod of a DaemonSet from its node. */
const TOLERATED: readonly Toleration[] = [
  ...['not-ready', 'unreachable'].map((state) => ({ key: state, effect: 'NoExecute' })),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((state) => ({
    key: state,
    effect: 'NoSchedule',
  })),
].map(({ key, effect }) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect }))

/** The pod of a set for one node: bound to it by affinity, so that the scheduler still looks whether it fits. */
export function daemonPod(set: DaemonSet, hash: string, node: string): NewPod {
  const { metadata, spec } = set.spec.template
  const { nodeAffinity, ...others } = spec.affinity ?? {}
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}]
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
  const required = { nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields })) }
  return {
    owner: set,
    metadata: {
      ...metadata,
      generateName: `${set.metadata.name}-`,
      labels: {
        ...metadata?.labels,
        [REVISION_HASH]: hash,
        'pod-template-generation': String(set.metadata.generation ?? 1),
      },
    },
    spec: {
      ...spec,
      affinity: {
        ...others,
        nodeAffinity: { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
      },
      tolerations: [...(spec.tolerations ?? []), ...TOLERATED],
    },
  }
}
