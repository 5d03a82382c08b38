import {
  autoscalersOf,
  mapAt,
  numberAt,
  objectIdOf,
  type ClusterObject,
  type Controller,
  type KubernetesObject,
} from '@ordeal/kubernetes'
import { type Sandbox } from './open-sandbox.js'
import { unreadiness } from './readiness.js'

const AWAITED = new Set(['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'])

/** Waits until every workload among `objects` is ready. Throws DeadlineError that says which is not. */
export async function awaitReady(sandbox: Sandbox, objects: readonly ClusterObject[]): Promise<void> {
  const { cluster, context, namespace, readyMs } = sandbox
  const workloads = objects.filter((o) => AWAITED.has(o.kind))
  const least = leastPods(objects)
  const kinds = [...new Map(workloads.map((o) => [o.kind, { apiVersion: o.apiVersion, kind: o.kind }])).values()]
  const watch = await Promise.all(kinds.map((kind) => cluster.objects.path({ ...kind, namespace })))
  const check = async () => {
    for (const kind of kinds) {
      const live = await cluster.objects.list({ ...kind, namespace })
      const byId = new Map(live.map((o) => [objectIdOf(o), o]))
      const waiting = workloads.some(
        (o) => o.kind === kind.kind && isWaiting(byId.get(objectIdOf(o)), least.get(objectIdOf(o))),
      )
      if (waiting) return undefined
    }
    return true
  }
  await cluster.clock.waitFor({ what: 'a ready application', withinMs: readyMs, watch, check }, context.signal)
}

const isWaiting = (live: ClusterObject | undefined, least = 0): boolean =>
  !live || unreadiness(live) !== null || isStillSmall(live as Controller, least)

/** An autoscaler takes a while to see its workload. One that was switched off, with no pods at all, it leaves alone. */
const isStillSmall = ({ spec }: Controller, least: number): boolean => {
  const wanted = spec.replicas ?? 1
  return wanted > 0 && wanted < least
}

/** The least number of pods to which autoscalers among `objects` bring workloads, by their ids. */
const leastPods = (objects: readonly ClusterObject[]): Map<string, number> =>
  new Map(
    [...autoscalersOf(objects as KubernetesObject[])].map(([id, scaler]) => [
      id,
      numberAt(mapAt(scaler, 'spec'), 'minReplicas') ?? 1,
    ]),
  )
