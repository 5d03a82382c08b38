import { createCluster, RefusedError, type ClusterObject } from '@ordeal/kubernetes'
import {
  artefactId,
  DeadlineError,
  graphSchema,
  manifestsSchema,
  measurementRequestSchema,
  type Graph,
  type Manifests,
  type Measurement,
  type MeasurementRequest,
  type PhaseHandler,
} from '@ordeal/shared'
import { z } from 'zod'
import { aroundClosed, closedDoors } from '../prober/doors.js'
import { atEntryPoints } from '../prober/entry-points.js'
import { startProber } from '../prober/prober-pod.js'
import { probesOf } from '../prober/probes.js'
import { checkChaosMesh, checkCluster } from '../sandbox/check-cluster.js'
import { deploy, ObjectRefusedError } from '../sandbox/deploy.js'
import { createNamespaces, noteRevision, quarantine } from '../sandbox/namespaces.js'
import { clusterOf, openSandbox, takeSandbox, type Sandbox } from '../sandbox/open-sandbox.js'
import { prepareObjects } from '../sandbox/prepare-objects.js'
import { awaitReady } from '../sandbox/await-ready.js'
import { takingBack } from '../undo/take-back.js'
import { NotUndoneError, undoWhatIsLeft } from '../undo/undo-ledger.js'
import { settle } from '../sandbox/settle.js'
import { type ExperimentSettings } from '../settings.js'
import { measureBaseline, measureControls } from './measure-application.js'
import { recordCluster } from '../sandbox/record-cluster.js'

const inputSchema = z.object({ graph: artefactId, manifests: artefactId, request: artefactId })

const PROBER = 'prober-measure'

const settledSchema = z.discriminatedUnion('settled', [
  z.object({ settled: z.literal(true), afterMs: z.number(), closed: z.record(z.string(), z.string()).default({}) }),
  z.object({ settled: z.literal(false), cause: z.string(), objects: z.array(z.string()) }),
])
type Settled = z.infer<typeof settledSchema>

interface Given {
  readonly graph: Graph
  readonly manifests: Manifests
  readonly request: MeasurementRequest
}

/** Deploys r0, waits until it works, measures it without faults, and shows that each check can fail. */
export const measure =
  (settings: ExperimentSettings): PhaseHandler =>
  async (context, input) => {
    const { artefacts } = context
    const ids = inputSchema.parse(input)
    // Once: a cluster that is gone afterwards is lost, not to be made again.
    await context.step('cluster', z.void(), async () => createCluster(await clusterOf(context, settings)))
    await takeSandbox(context, settings)
    const sandbox = await openSandbox(context, settings)
    await recordCluster(sandbox)
    const given = {
      graph: await artefacts.get(ids.graph, graphSchema),
      manifests: await artefacts.get(ids.manifests, manifestsSchema),
      request: await artefacts.get(ids.request, measurementRequestSchema),
    }
    const measurement = await takingBack(sandbox, () => marking(sandbox, () => measureR0(sandbox, given)))
    await recordCluster(sandbox)
    const id = await context.atEnd.put('measurement', measurement, { name: 'measurement', revision: 0 })
    return [{ type: 'measurement.finished', revision: 0, data: { measurement: id } }]
  }

/** A sandbox in which something that was broken on purpose could not be mended is nobody's to use. */
async function marking<T>(sandbox: Sandbox, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NotUndoneError) await quarantine(sandbox, error.message)
    throw error
  }
}

async function measureR0(sandbox: Sandbox, { graph, manifests, request }: Given): Promise<Measurement> {
  const { context } = sandbox
  const prepared = await orCause(async () => ({ objects: await prepareObjects(sandbox, manifests) }))
  if ('cause' in prepared) return prepared
  const { objects } = prepared
  const unready = await orCause(() => recover(sandbox, objects))
  if (unready) return unready
  const settled = await context.step('settle', settledSchema, async () => {
    const outcome = await orCause(() => bringUp(sandbox, objects, { graph, request }))
    tell(sandbox, outcome)
    return outcome
  })
  if (!settled.settled) return settled
  const { closed } = settled
  const states = aroundClosed(request.steadyStates, closed)
  const prober = await startProber(sandbox, PROBER, { probes: await probesOf(sandbox, states) })
  const baselines = await measureBaseline(sandbox, prober, request)
  const controls = await measureControls(sandbox, graph, { objects, prober, states })
  await prober.stop()
  const around = (id: string) => (closed[id] === undefined ? {} : { around: closed[id] })
  const steadyStates = states.map(({ id }) => ({ id, ...baselines(id), ...controls(id), ...around(id) }))
  const attempt = context.attempt > 1 ? { attempt: context.attempt } : {}
  return { settled: true, settledAfterMs: settled.afterMs, ...attempt, steadyStates }
}

/** What an earlier attempt broke is mended before anything else is done. Throws NotUndoneError, DeadlineError. */
async function recover(sandbox: Sandbox, objects: readonly ClusterObject[]): Promise<void> {
  const { left, undone } = await undoWhatIsLeft(sandbox)
  if (left.length) throw new NotUndoneError(left.join('; '))
  if (undone.length) await awaitReady(sandbox, objects)
}

/** An application that the cluster does not take, or not in time, never settles, and that is the cause. */
async function orCause<T>(work: () => Promise<T>): Promise<T | Extract<Settled, { settled: false }>> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RefusedError || error instanceof DeadlineError)) throw error
    return { settled: false, cause: error.message, objects: error instanceof ObjectRefusedError ? [error.object] : [] }
  }
}

async function bringUp(
  sandbox: Sandbox,
  objects: readonly ClusterObject[],
  { graph, request }: Pick<Given, 'graph' | 'request'>,
): Promise<Settled> {
  const { cluster, context } = sandbox
  const since = await cluster.clock.now()
  await checkCluster(sandbox, objects)
  context.progress({ kind: 'step', message: `deploying ${objects.length} objects` })
  await createNamespaces(sandbox, objects)
  await checkChaosMesh(sandbox)
  await deploy(sandbox, objects)
  await noteRevision(sandbox, 0)
  const closed = await closedDoors(sandbox, request.steadyStates)
  const states = aroundClosed(request.steadyStates, closed)
  const settled = await settle(sandbox, {
    objects,
    proberName: PROBER,
    proberConfig: async () => ({ probes: await probesOf(sandbox, states) }),
    entryPoints: atEntryPoints(states, graph),
  })
  return settled.settled ? { settled: true, afterMs: (await cluster.clock.now()) - since, closed } : settled
}

function tell({ context }: Sandbox, outcome: Settled): void {
  const message = outcome.settled
    ? `the application works after ${Math.round(outcome.afterMs / 1000)} s`
    : `the application does not come to work: ${outcome.cause}`
  context.progress({ kind: 'note', message })
}
