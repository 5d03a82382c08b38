import { isReadyPod, isRefused, type ClusterObject, type Pod } from '@ordeal/kubernetes'
import { DeadlineError } from '@ordeal/shared'
import { podEffect } from '../evidence/pod-effect.js'
import { type FunctionalRunFault } from '../run/fault.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { listPods } from '../sandbox/owners.js'

/** Pods are made, pulled for and probed before a mistake in them shows. */
const EFFECT_MS = 15_000

/** Waits until every functional fault shows at its target. That one does not is for the verdict to weigh. */
export async function awaitFunctionalEffects(
  sandbox: Sandbox,
  faults: readonly FunctionalRunFault[],
): Promise<FunctionalRunFault[]> {
  const { cluster, context, podsPath } = sandbox
  let seen: FunctionalRunFault[] = [...faults]
  const check = async () => {
    seen = await lookForFunctionalEffects(sandbox, seen)
    return seen.every(({ injection }) => injection.evidence.effect !== null) || undefined
  }
  try {
    const wait = { what: 'an effect of what was done', withinMs: EFFECT_MS, watch: [podsPath], check }
    if (seen.length) await cluster.clock.waitFor(wait, context.signal)
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
  }
  return seen
}

/** Looks once, at those faults that have not shown yet. */
export async function lookForFunctionalEffects(
  sandbox: Sandbox,
  faults: readonly FunctionalRunFault[],
): Promise<FunctionalRunFault[]> {
  return Promise.all(
    faults.map(async (fault) => {
      const { evidence } = fault.injection
      if (evidence.effect !== null || evidence.record === null) return fault
      const effect = await effectOf(sandbox, fault)
      return { ...fault, injection: { ...fault.injection, evidence: { ...evidence, effect } } }
    }),
  )
}

function effectOf(sandbox: Sandbox, fault: FunctionalRunFault): Promise<string | null> {
  switch (fault.targets.fault.action) {
    case 'wrong-port':
    case 'wrong-selector':
      return serviceEffect(sandbox, fault)
    case 'quota-exhausted':
      return quotaEffect(sandbox, fault)
    case 'excess-load':
      return loadEffect(sandbox, fault)
    default:
      return podsEffect(sandbox, fault)
  }
}

interface Slice extends ClusterObject {
  endpoints?: { conditions?: { ready?: boolean }; targetRef?: { name?: string } }[]
  ports?: { port?: number }[]
}

/** No endpoint leads to a port of the component's pods any more. Null also where endpoints may not be looked at. */
async function serviceEffect({ cluster, namespace }: Sandbox, { targets }: FunctionalRunFault): Promise<string | null> {
  const open = new Set(
    targets.pods.flatMap((pod) => pod.spec.containers.flatMap(({ ports = [] }) => ports.map((p) => p.containerPort))),
  )
  const names = new Set(targets.pods.map(({ metadata }) => metadata.name))
  const listed = cluster.objects.list<Slice>({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace })
  const slices = await listed.catch((error: unknown) => {
    if (isRefused(error, 403)) return null
    throw error
  })
  if (!slices) return null
  const leads = slices.filter(({ endpoints, ports = [] }) => {
    const ready = (endpoints ?? []).some(
      ({ conditions, targetRef }) => conditions?.ready && names.has(targetRef?.name ?? ''),
    )
    return ready && ports.some(({ port = 0 }) => open.size === 0 || open.has(port))
  })
  const { length } = leads
  return length === 0 ? `no endpoint leads to a port of ${targets.fault.target.component} any more` : null
}

async function quotaEffect({ cluster }: Sandbox, { place }: FunctionalRunFault): Promise<string | null> {
  const ref = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: place.name, namespace: place.namespace } }
  const quota = await cluster.objects.get(ref)
  const { hard, used } = (quota?.status ?? {}) as Record<'hard' | 'used', { pods?: string } | undefined>
  if (used?.pods === undefined || Number(used.pods) < Number(hard?.pods)) return null
  return `${used.pods} of ${hard?.pods ?? ''} pods are used: there may be no other`
}

/** The extra requests get answers from the target. */
async function loadEffect(
  { cluster, proberNamespace }: Sandbox,
  { place }: FunctionalRunFault,
): Promise<string | null> {
  const pod = { name: place.name, namespace: proberNamespace }
  const found = await cluster.objects.get<Pod>({ apiVersion: 'v1', kind: 'Pod', metadata: pod })
  if (found?.status?.phase !== 'Running') return null
  const lines = await cluster.objects.log(pod, { tailLines: 50 })
  return lines.includes('"latencyMs":') ? `requests of ${place.name} reach the target` : null
}

/** A pod of before has gone or broken, or one that came does not work. */
async function podsEffect(sandbox: Sandbox, { targets }: FunctionalRunFault): Promise<string | null> {
  const now = await listPods(sandbox, targets.fault.target.selector)
  const byName = new Map(now.map((pod) => [pod.metadata.name, pod]))
  const known = new Set(targets.pods.map(({ metadata }) => metadata.uid))
  const before = targets.pods.map((pod) => podEffect(pod, byName.get(pod.metadata.name) ?? null))
  const fresh = now.filter(({ metadata }) => !known.has(metadata.uid)).map(troubleOf)
  const [shown = null] = [...fresh, ...before].filter((effect) => effect !== null)
  return shown
}

/** What keeps a new pod from working; null for one that works, or may soon. */
function troubleOf(pod: Pod): string | null {
  if (isReadyPod(pod)) return null
  const reasons = (pod.status?.containerStatuses ?? []).map(
    ({ state, lastState }) => state?.waiting?.reason ?? lastState?.terminated?.reason,
  )
  const reason = reasons.find((one) => one !== undefined && !HARMLESS.has(one))
  return reason === undefined ? null : `${pod.metadata.name}: ${reason}`
}

const HARMLESS = new Set(['ContainerCreating', 'PodInitializing'])
