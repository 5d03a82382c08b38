import { objectIdOf, type ClusterObject } from '@ordeal/kubernetes'
import { type Sandbox } from './open-sandbox.js'

/** How long an object may take to go: longer than the longest usual grace period. */
const GONE_MS = 90_000

/** Deletes an object of the application and waits until it is gone. */
export async function removeObject(sandbox: Sandbox, object: ClusterObject): Promise<void> {
  const { cluster, context } = sandbox
  await cluster.objects.remove(object)
  const { apiVersion, kind, metadata } = object
  const path = await cluster.objects.path({ apiVersion, kind, namespace: metadata.namespace })
  const what = `the end of ${objectIdOf(object)}`
  const check = async () => ((await cluster.objects.get(object)) ? undefined : true)
  await cluster.clock.waitFor({ what, withinMs: GONE_MS, watch: [path], check }, context.signal)
}
