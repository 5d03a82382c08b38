import { connectCluster, type Cluster, type ClusterTarget } from '@ordeal/kubernetes'
import {
  measurementSchema,
  runSchema,
  type CycleId,
  type CycleOptions,
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
import { type ExperimentSettings } from '../settings.js'

/** An application as preprocessing would hand it over. */
export interface Application {
  readonly objects: Record<string, unknown>[]
  readonly graph: Graph
  readonly steadyStates: SteadyStateDraft[]
}

/** Where a cycle runs, and as what. */
export interface CyclePlace {
  readonly settings: ExperimentSettings
  readonly target: ClusterTarget
  readonly cycleId: CycleId
  readonly seed: number
  /** Options of the cycle besides its cluster and its seed. */
  readonly options?: Partial<CycleOptions>
}

/** A cycle whose phases are run by hand, on documents in memory. */
export interface Cycle {
  readonly id: CycleId
  /** The namespace of its application. */
  readonly namespace: string
  /** Messages of all progress notes, in order. */
  readonly notes: string[]
  /** Reaches the cluster as anybody else would. */
  look(): Promise<Cluster>
  measure(context?: MemoryContext): Promise<Measurement>
  run(hypothesis: Hypothesis, revision?: number, context?: MemoryContext): Promise<Run>
  cleanUp(): Promise<string | null>
  /** Of the next attempt at a phase. */
  context(revision: number, phase: string): MemoryContext
  putRevision(revision: number, objects: Record<string, unknown>[]): Promise<void>
}

export async function startCycle(
  app: Application,
  { settings, target, cycleId, seed, options }: CyclePlace,
): Promise<Cycle> {
  const service = experimentService(settings)
  const cycle = createMemoryCycle()
  const { artefacts, vault } = cycle
  const notes: string[] = []
  const attempts = new Map<string, number>()
  const contextOf = (revision: number, phase: string) => {
    const attempt = (attempts.get(`${revision}/${phase}`) ?? 0) + 1
    attempts.set(`${revision}/${phase}`, attempt)
    return createMemoryContext({ cycle, cycleId, revision, phase, attempt })
  }
  await artefacts.put('options', { cluster: nameOf(target), seed, ...options })
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
    id: cycleId,
    namespace: `ordeal-${cycleId}`,
    notes,
    look: () => connectCluster(target),
    context: contextOf,
    measure: async (context = contextOf(0, 'measure')) => {
      const input = { graph, manifests, request }
      const drafts = await handle(context, { phase: 'measure', input })
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
  }
}

function nameOf(target: ClusterTarget): string {
  if (target.kind === 'embedded') return 'embedded'
  return 'context' in target ? target.context : target.name
}

function dataOf<K extends EventKey>(drafts: readonly EventDraft[], type: K): EventData<K> {
  const found = drafts.find((draft) => draft.type === type)
  if (!found) throw new Error(`no ${type} among ${drafts.map((d) => d.type).join(', ')}`)
  return found.data as EventData<K>
}
