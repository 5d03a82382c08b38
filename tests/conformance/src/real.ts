import { randomBytes } from 'node:crypto'
import { type Cluster, type ClusterObject, connectCluster, isRefused } from '@ordeal/kubernetes'
import { isChaos, recordedKinds, versionOf } from './kinds.js'
import { removeOutside } from './perform.js'
import { type Written } from './read-corpus.js'
import { type Outcome, runScenario } from './run-scenario.js'
import { type Scenario } from './scenario.js'

const LABEL = 'ordeal.dev/conformance'
const CLEAN_MS = 120_000
/** After this a fault whose finalizer hangs is let go. */
const PATIENCE_MS = 15_000
/** What every namespace gets from controllers before pods can start in it. */
const BROUGHT = [
  { apiVersion: 'v1', kind: 'ServiceAccount', name: 'default' },
  { apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt' },
]

/** A real cluster, where each scenario has a namespace of its own. */
export interface RealHost {
  run(written: Written): Promise<Outcome>
  /** Waits until all namespaces that were made are gone. */
  close(): Promise<void>
}

export async function openRealHost(context: string, signal: AbortSignal): Promise<RealHost> {
  const cluster = await connectCluster({ kind: 'kubernetes', context })
  const cleaning: Promise<void>[] = []
  return {
    run: async (written) => {
      const namespace = `conf-${written.name}-${randomBytes(2).toString('hex')}`
      const scenario = written.in(namespace)
      const outside: ClusterObject[] = []
      await openNamespace(cluster, namespace, signal)
      try {
        return await runScenario(scenario, { cluster, namespace, signal, outside: (made) => outside.push(made) })
      } finally {
        const cleaned = cleanUp(cluster, { namespace, scenario, outside })
        cleaning.push(cleaned)
        // Nodes of a scenario are in the way of the next.
        if (scenario.nodes) await cleaned
        else cleaned.catch(() => undefined)
      }
    },
    close: async () => void (await Promise.all(cleaning)),
  }
}

async function openNamespace(cluster: Cluster, name: string, signal: AbortSignal): Promise<void> {
  const { clock, objects } = cluster
  await objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { [LABEL]: 'true' } } })
  for (const { apiVersion, kind, name: wanted } of BROUGHT) {
    const watch = [await objects.path({ apiVersion, kind, namespace: name })]
    const check = async () =>
      (await objects.get({ apiVersion, kind, metadata: { name: wanted, namespace: name } })) ?? undefined
    await clock.waitFor({ what: `${kind}/${wanted} in ${name}`, withinMs: 60_000, watch, check }, signal)
  }
}

interface Left {
  readonly namespace: string
  readonly scenario: Scenario
  readonly outside: readonly ClusterObject[]
}

/** Removes all that a scenario made, faults first, and waits until it is gone. */
async function cleanUp(cluster: Cluster, { namespace, scenario, outside }: Left): Promise<void> {
  const { objects, clock } = cluster
  for (const kind of recordedKinds(scenario).filter(isChaos)) await removeFaults(cluster, namespace, kind)
  await objects.remove({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  for (const object of outside) await removeOutside(cluster, object)
  const gone = async () => {
    await removeStuckPods(cluster, namespace)
    return (await objects.get({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }))
      ? undefined
      : true
  }
  const what = `namespace ${namespace} to go`
  await clock.waitFor({ what, withinMs: CLEAN_MS, watch: [], everyMs: 2000, check: gone }, new AbortController().signal)
}

async function removeFaults(cluster: Cluster, namespace: string, kind: string): Promise<void> {
  const { objects, clock } = cluster
  const collection = { apiVersion: versionOf(kind), kind, namespace }
  const startMs = await clock.now()
  for (const fault of await objects.list(collection)) await objects.remove(fault)
  const gone = async () => {
    const left = await objects.list(collection)
    const late = (await clock.now()) - startMs > PATIENCE_MS
    for (const fault of late ? left : []) await letGo(cluster, fault)
    return left.length === 0 ? true : undefined
  }
  const wait = {
    what: `faults in ${namespace} to go`,
    withinMs: CLEAN_MS,
    watch: [await objects.path(collection)],
    check: gone,
  }
  await clock.waitFor(wait, new AbortController().signal)
}

async function letGo({ objects }: Cluster, fault: ClusterObject): Promise<void> {
  await objects.patch(fault, { metadata: { finalizers: null } }).catch((error: unknown) => {
    if (!isRefused(error, 404)) throw error
  })
}

/** No kubelet ends the pods of a node that has none, and finalizers of a scenario's own hold for ever. */
async function removeStuckPods({ objects }: Cluster, namespace: string): Promise<void> {
  for (const pod of await objects.list({ apiVersion: 'v1', kind: 'Pod', namespace })) {
    if (!pod.metadata.deletionTimestamp) continue
    await objects.remove(pod, { graceSeconds: 0 })
  }
}
