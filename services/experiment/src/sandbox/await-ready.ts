import { objectIdOf, type ClusterObject } from '@ordeal/kubernetes'
import { type Sandbox } from './open-sandbox.js'
import { unreadiness } from './readiness.js'

const AWAITED = new Set(['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'])

/** Waits until every workload among `objects` is ready. Throws DeadlineError that says which is not. */
export async function awaitReady(sandbox: Sandbox, objects: readonly ClusterObject[]): Promise<void> {
  const { cluster, context, namespace, readyMs } = sandbox
  const workloads = objects.filter((o) => AWAITED.has(o.kind))
  const kinds = [...new Map(workloads.map((o) => [o.kind, { apiVersion: o.apiVersion, kind: o.kind }])).values()]
  const watch = await Promise.all(kinds.map((kind) => cluster.objects.path({ ...kind, namespace })))
  const check = async () => {
    for (const kind of kinds) {
      const live = await cluster.objects.list({ ...kind, namespace })
      const byId = new Map(live.map((o) => [objectIdOf(o), o]))
      const waiting = workloads.some((o) => o.kind === kind.kind && isWaiting(byId.get(objectIdOf(o))))
      if (waiting) return undefined
    }
    return true
  }
  await cluster.clock.waitFor({ what: 'a ready application', withinMs: readyMs, watch, check }, context.signal)
}

const isWaiting = (live: ClusterObject | undefined): boolean => !live || unreadiness(live) !== null
