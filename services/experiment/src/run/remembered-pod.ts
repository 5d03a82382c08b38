import { type Pod } from '@ordeal/kubernetes'
import { z } from 'zod'

/** A pod as it is written down for a later attempt: what effects are compared with, and nothing that may hold a credential. */
export const rememberedPod = z.custom<Pod>((value) => typeof value === 'object' && value !== null)

/** The fields of a pod that tell what became of it. */
export function rememberPod({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, labels, creationTimestamp, deletionTimestamp, ownerReferences } = metadata
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, labels, creationTimestamp, deletionTimestamp, ownerReferences },
    spec: {
      nodeName: spec.nodeName,
      hostNetwork: spec.hostNetwork,
      containers: spec.containers.map(({ name, image, ports }) => ({ name, image, ports })),
    },
    status: {
      phase: status?.phase,
      podIP: status?.podIP,
      conditions: status?.conditions?.map(({ type, status: is }) => ({ type, status: is })),
      containerStatuses: status?.containerStatuses?.map(({ name, ready, restartCount, containerID }) => ({
        name,
        ready,
        restartCount,
        containerID,
      })),
    },
  }
}
