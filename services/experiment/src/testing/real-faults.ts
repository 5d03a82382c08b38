import {
  CHAOS_API,
  CHAOS_KINDS,
  isReadyPod,
  type ChaosObject,
  type Cluster,
  type ClusterObject,
  type Pod,
} from '@ordeal/kubernetes'
import { type MemoryContext } from '@ordeal/shared/testing'
import { type Cycle } from './cycle.js'

const never = new AbortController().signal
/** A cluster and a machine that are busy. */
const SOON_MS = 90_000

/** Waits until `check` holds, looking twice a second. Throws DeadlineError. */
export async function until(cluster: Cluster, what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const look = async () => (await check()) || undefined
  await cluster.clock.waitFor({ what, withinMs: SOON_MS, watch: [], everyMs: 500, check: look }, never)
}

/** The Chaos objects of a cycle, of every kind. */
export async function chaosOf(cycle: Cycle): Promise<ChaosObject[]> {
  const { objects } = await cycle.look()
  const { namespace } = cycle
  const found = await Promise.all(
    CHAOS_KINDS.map((kind) => objects.list<ChaosObject>({ apiVersion: CHAOS_API, kind, namespace })),
  )
  return found.flat()
}

/** The application's pods. */
export const podsOf = async (cycle: Cycle): Promise<Pod[]> =>
  (await cycle.look()).objects.list<Pod>({ apiVersion: 'v1', kind: 'Pod', namespace: cycle.namespace })

export const allReady = async (cycle: Cycle): Promise<boolean> => {
  const pods = (await podsOf(cycle)).filter((pod) => pod.status?.phase !== 'Succeeded')
  return pods.length > 0 && pods.every(isReadyPod)
}

/** Waits until the run tells that its fault is in force. */
export const inForce = async (cycle: Cycle, context: MemoryContext): Promise<void> =>
  until(await cycle.look(), 'the fault', () =>
    context.notes.some(
      ({ kind, data }) => kind === 'fault' && (data as { what?: string } | undefined)?.what === 'injected',
    ),
  )

/** Waits until the run tells that its plan begins. */
export const begun = async (cycle: Cycle, context: MemoryContext): Promise<void> =>
  until(await cycle.look(), 'the start', () => context.notes.some(({ message }) => message.includes('the experiment')))

/** Keeps every Chaos object of the cycle from being made by a webhook that is not what it should be. */
export async function refuseChaos(cycle: Cycle, clientConfig: Record<string, unknown>): Promise<() => Promise<void>> {
  const { objects } = await cycle.look()
  const configuration: ClusterObject = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: cycle.namespace },
    webhooks: [
      {
        name: 'refuse.ordeal.dev',
        clientConfig,
        failurePolicy: 'Fail',
        sideEffects: 'None',
        timeoutSeconds: 1,
        admissionReviewVersions: ['v1'],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': cycle.namespace } },
        rules: [{ apiGroups: ['chaos-mesh.org'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] }],
      },
    ],
  }
  await objects.create(configuration)
  return async () => void (await objects.remove(configuration))
}
