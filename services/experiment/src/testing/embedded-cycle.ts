import { createEmbeddedServer } from '@ordeal/embedded-cluster'
import { connectCluster, type Cluster } from '@ordeal/kubernetes'
import {
  measurementSchema,
  newCycleId,
  runSchema,
  type EventData,
  type EventDraft,
  type EventKey,
  type Graph,
  type Hypothesis,
  type Measurement,
  type PhaseStart,
  type Run,
  type SteadyStateDraft,
} from '@ordeal/shared'
import { createMemoryContext, createMemoryCycle, type MemoryContext } from '@ordeal/shared/testing'
import { experimentService } from '../experiment.service.js'

/** An application as preprocessing would hand it over. */
export interface Application {
  readonly objects: Record<string, unknown>[]
  readonly graph: Graph
  readonly steadyStates: SteadyStateDraft[]
}

/** A cycle on an embedded server of its own, whose phases are run by hand. */
export interface EmbeddedCycle {
  /** Messages of all progress notes, in order. */
  readonly notes: string[]
  /** Reaches the cluster as anybody else would. */
  look(): Promise<Cluster>
  /** Ids of the clusters that the server holds. */
  clusters(): Promise<string[]>
  measure(): Promise<Measurement>
  run(hypothesis: Hypothesis, revision?: number, context?: MemoryContext): Promise<Run>
  cleanUp(): Promise<string | null>
  context(revision: number, phase: string): MemoryContext
  putRevision(revision: number, objects: Record<string, unknown>[]): Promise<void>
  close(): Promise<void>
}

export async function startEmbeddedCycle(
  app: Application,
  { seed = 1, cycleId = newCycleId() } = {},
): Promise<EmbeddedCycle> {
  const server = await createEmbeddedServer({ host: '127.0.0.1', port: 0 })
  const service = experimentService({ embeddedUrl: server.url, kubeconfig: null })
  const cycle = createMemoryCycle()
  const { artefacts, vault } = cycle
  const notes: string[] = []
  const contextOf = (revision: number, phase: string) => createMemoryContext({ cycle, cycleId, revision, phase })
  await artefacts.put('options', { cluster: 'embedded', seed })
  await vault.put('secrets', {})
  const graph = await artefacts.put('graph', app.graph)
  const manifests = await artefacts.put('manifests', { objects: app.objects }, { revision: 0 })
  const request = await artefacts.put('measurement-request', { steadyStates: app.steadyStates, baselineMs: 5000 })
  const handle = async (context: MemoryContext, { phase, input }: Omit<PhaseStart, 'revision'>) => {
    const drafts = await service.phases[phase]?.(context, input)
    notes.push(...context.notes.map((note) => note.message))
    return drafts ?? []
  }
  return {
    notes,
    look: () => connectCluster({ kind: 'embedded', serverUrl: server.url, id: cycleId, seed }),
    clusters: async () => {
      const { clusters } = (await (await fetch(`${server.url}/clusters`)).json()) as { clusters: { id: string }[] }
      return clusters.map((cluster) => cluster.id)
    },
    context: contextOf,
    measure: async () => {
      const input = { graph, manifests, request }
      const drafts = await handle(contextOf(0, 'measure'), { phase: 'measure', input })
      return artefacts.get(dataOf(drafts, 'measurement.finished').measurement, measurementSchema)
    },
    run: async (hypothesis, revision = 0, context = contextOf(revision, 'run')) => {
      const input = { hypothesis: await artefacts.put('hypothesis', hypothesis) }
      const drafts = await handle(context, { phase: 'run', input })
      return artefacts.get(dataOf(drafts, 'experiment.finished').run, runSchema)
    },
    cleanUp: async () => {
      const input = { outcome: 'resilient', results: graph }
      const drafts = await handle(contextOf(0, 'clean-up'), { phase: 'clean-up', input })
      return dataOf(drafts, 'cycle.finished').problem
    },
    putRevision: async (revision, objects) => {
      await artefacts.put('manifests', { objects }, { revision })
    },
    close: () => server.close(),
  }
}

function dataOf<K extends EventKey>(drafts: readonly EventDraft[], type: K): EventData<K> {
  const found = drafts.find((draft) => draft.type === type)
  if (!found) throw new Error(`no ${type} among ${drafts.map((d) => d.type).join(', ')}`)
  return found.data as EventData<K>
}
