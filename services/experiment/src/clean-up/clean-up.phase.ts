import { ClusterLostError, deleteCluster, objectIdOf, type ClusterObject, type ClusterTarget } from '@ordeal/kubernetes'
import {
  AbortedError,
  artefactId,
  coerceError,
  DeadlineError,
  outcomeSchema,
  TerminalError,
  type PhaseHandler,
} from '@ordeal/shared'
import { z } from 'zod'
import { letGoOfFaults, listFaults, removeLeftovers } from '../run/remove-faults.js'
import { emptyNamespaces } from '../place/empty.js'
import { readJournal } from '../place/in-place.js'
import { releaseNamespace } from '../place/pool.js'
import { restore } from '../place/restore.js'
import { CLUSTER_KINDS } from '../sandbox/cluster-scoped.js'
import { namespaceRef, quarantine } from '../sandbox/namespaces.js'
import { CYCLE_LABEL, clusterOf, findSandbox, forgetCluster, isOwn, type Sandbox } from '../sandbox/open-sandbox.js'
import { forgetUndoIn, undoWhatIsLeft } from '../undo/undo-ledger.js'
import { type ExperimentSettings } from '../settings.js'

const inputSchema = z.object({ outcome: outcomeSchema, results: artefactId })

/** A namespace goes when everything in it has gone, grace periods and finalizers included. */
const GONE_MS = 180_000

/** Removes everything that the cycle put into its cluster, verifies it, and finishes the cycle. */
export const cleanUp =
  (settings: ExperimentSettings): PhaseHandler =>
  async (context, input) => {
    const { outcome, results } = inputSchema.parse(input)
    const problem = await context.step('clean', z.string().nullable(), async () => {
      const target = await clusterOf(context, settings)
      try {
        const sandbox = await findSandbox(context, settings)
        const left = sandbox && (await leaveNothing(sandbox))
        await deleteCluster(target)
        return left
      } catch (error) {
        return excuse(error, target)
      }
    })
    const message = problem ? `clean-up is not complete: ${problem}` : 'everything is cleaned up'
    context.progress({ kind: 'step', message })
    await forgetCluster(context)
    if (problem) context.log.error('clean-up is not complete', { problem })
    return [{ type: 'cycle.finished', revision: context.revision, data: { outcome, results, problem } }]
  }

/** Null when a cluster that is gone needs no clean-up; a terminal error is what people must know; others are retried. */
function excuse(thrown: unknown, { kind }: ClusterTarget): string | null {
  const error = coerceError(thrown)
  // An embedded cluster lives in the memory of its server, so one that does not answer holds nothing any more.
  if (error instanceof ClusterLostError && kind === 'embedded') return null
  if (error instanceof TerminalError && !(error instanceof AbortedError)) return error.message
  throw error
}

/** What could not be removed, in words; null when nothing is left. */
async function leaveNothing(sandbox: Sandbox): Promise<string | null> {
  await removeLeftovers(sandbox)
  // Asked for first and looked for last: some of it waits for what is in the namespace.
  for (const object of await listClusterScoped(sandbox)) await sandbox.cluster.objects.remove(object)
  const { mode, proberNamespace, namespace } = sandbox.place
  const going = mode === 'in-place' ? [proberNamespace] : [namespace, proberNamespace]
  const { left } = await undoWhatIsLeft(sandbox, going)
  const inside = await LEAVE[mode](sandbox)
  if (!inside) await forgetUndoIn(sandbox, going)
  return [...left, inside, await awaitClusterScoped(sandbox)].filter(Boolean).join('; ') || null
}

/** What was in place is put back as it was; the prober's namespace is the cycle's own in any case. */
async function putBack(sandbox: Sandbox): Promise<string | null> {
  const states = await readJournal(sandbox)
  const left = states ? await restore(sandbox, states) : []
  if (states && left.length === 0) await sandbox.cluster.objects.remove(sandbox.place.notebook)
  return [...left, await removeNamespaces(sandbox)].filter(Boolean).join('; ') || null
}

const LEAVE = { own: removeNamespaces, pool: giveBack, 'in-place': putBack } as const

/** What the cycle made in the whole cluster, by consent. An embedded cluster goes as a whole. */
async function listClusterScoped({ cluster, labels, widening }: Sandbox): Promise<ClusterObject[]> {
  if (widening !== 'consented') return []
  const own = { [CYCLE_LABEL]: labels[CYCLE_LABEL] ?? '' }
  const known = await Promise.all(CLUSTER_KINDS.map((kind) => cluster.objects.knows(kind)))
  const kinds = CLUSTER_KINDS.filter((_, index) => known[index])
  return (await Promise.all(kinds.map((kind) => cluster.objects.list({ ...kind, labels: own })))).flat()
}

async function awaitClusterScoped(sandbox: Sandbox): Promise<string | null> {
  const { cluster, context } = sandbox
  let left: ClusterObject[] = []
  const check = async () => {
    left = await listClusterScoped(sandbox)
    return left.length === 0 || undefined
  }
  const what = 'the end of its objects of the whole cluster'
  try {
    await cluster.clock.waitFor({ what, withinMs: GONE_MS, watch: [], check }, context.signal)
    return null
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    return `${left.map(objectIdOf).join(', ')} did not go`
  }
}

/** A namespace of a pool is given back empty, or not at all. */
async function giveBack(sandbox: Sandbox): Promise<string | null> {
  const left = await emptyNamespaces(sandbox)
  if (left.length === 0) {
    await releaseNamespace(sandbox.cluster, sandbox.context.cycleId)
    return null
  }
  const problem = `${left.join(', ')} did not go`
  await quarantine(sandbox, problem)
  return problem
}

async function removeNamespaces(sandbox: Sandbox): Promise<string | null> {
  const names = [sandbox.namespace, sandbox.proberNamespace]
  const own = await ownNamespaces(sandbox, names)
  for (const name of own) await sandbox.cluster.objects.remove(namespaceRef(name))
  const hanging = await awaitGone(sandbox, own)
  const faults = hanging.length ? await listFaults(sandbox.cluster.objects, sandbox) : []
  const left = [...faults.map(objectIdOf), ...hanging.map((name) => `Namespace/${name}`)]
  return left.length ? `${left.join(', ')} did not go` : null
}

/** A namespace of that name that somebody else made is left alone. */
async function ownNamespaces({ cluster, labels }: Sandbox, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.map((name) => cluster.objects.get(namespaceRef(name))))
  return found.flatMap((namespace) => (namespace && isOwn(labels)(namespace) ? [namespace.metadata.name] : []))
}

/** A fault that Chaos Mesh does not let go of would keep its namespace for ever, so it is let go once its pods are gone. */
async function awaitGone(sandbox: Sandbox, names: readonly string[]): Promise<readonly string[]> {
  const { cluster, context, namespace, podsPath } = sandbox
  if (names.length === 0) return []
  let left: readonly string[] = names
  const watch = [await cluster.objects.path({ apiVersion: 'v1', kind: 'Namespace' }), podsPath]
  const check = async () => {
    const found = await Promise.all(left.map((name) => cluster.objects.get(namespaceRef(name))))
    left = found.flatMap((space) => space?.metadata.name ?? [])
    if (left.includes(namespace)) await letGoOfFaults(sandbox)
    return left.length === 0 || undefined
  }
  try {
    await cluster.clock.waitFor({ what: 'the end of its namespaces', withinMs: GONE_MS, watch, check }, context.signal)
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
  }
  return left
}
