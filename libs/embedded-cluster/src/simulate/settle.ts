import { type ProberConfig, type SampleLine } from '@ordeal/prober'
import { type DaemonSet, type Deployment, isReady, type Pod, type StatefulSet } from '../controllers/objects.js'
import { type Engine } from '../engine.js'
import { type ObjectStore } from '../store/store.js'
import { ProbeStation } from './probe-station.js'

/** How often it is looked. */
const LOOK_MS = 500
/** So many answers in a row must be good: ready alone is not warmed up. */
const GOOD_IN_A_ROW = 5

/**
 * Lets the cluster run until every workload is as its spec wants it and every probe answers well several times running.
 * What it still waited for when the time was over; empty when it has settled.
 */
export function settle(engine: Engine, probes: ProberConfig['probes'], withinMs: number): string[] {
  const { kernel, store } = engine
  const deadline = kernel.now + withinMs
  const station = new ProbeStation(engine, probes)
  try {
    for (;;) {
      kernel.runUntil(kernel.now + LOOK_MS)
      const unready = [...workloadsWaiting(store), ...podsWaiting(store)]
      const waiting = unready.length > 0 ? unready : silent(station.samples, probes)
      if (waiting.length === 0 || kernel.now >= deadline) return waiting
    }
  } finally {
    station.close()
  }
}

function silent(samples: readonly SampleLine[], probes: ProberConfig['probes']): string[] {
  return probes.flatMap(({ id }) => {
    const last = newest(samples, id)
    const bad = last.find(({ ok }) => !ok)
    if (bad) return [`probe ${id}: ${bad.error ?? 'no good answer'}`]
    return last.length < GOOD_IN_A_ROW ? [`probe ${id}: ${last.length} of ${GOOD_IN_A_ROW} answers`] : []
  })
}

function newest(samples: readonly SampleLine[], id: string): SampleLine[] {
  const found: SampleLine[] = []
  for (let i = samples.length - 1; i >= 0 && found.length < GOOD_IN_A_ROW; i--) {
    const sample = samples[i] as SampleLine
    if (sample.probe === id) found.push(sample)
  }
  return found
}

interface Progress {
  readonly wanted: number
  readonly updated: number
  readonly ready: number
  readonly all: number
}

function workloadsWaiting(store: ObjectStore): string[] {
  const deployments = store.list<Deployment>('deployments.apps').map((object) => {
    const { status = {} } = object
    const { updatedReplicas: updated = 0, availableReplicas: ready = 0, replicas: all = 0 } = status
    return waitingOf(object, status.observedGeneration, { wanted: object.spec.replicas ?? 1, updated, ready, all })
  })
  const sets = store.list<StatefulSet>('statefulsets.apps').map((object) => {
    const { updatedReplicas = 0, availableReplicas: ready = 0, replicas: all = 0 } = object.status ?? {}
    const wanted = object.spec.replicas ?? 1
    const updated = object.spec.updateStrategy?.type === 'OnDelete' ? wanted : updatedReplicas
    return waitingOf(object, object.status?.observedGeneration, { wanted, updated, ready, all })
  })
  const daemons = store.list<DaemonSet>('daemonsets.apps').map((object) => {
    const status = (object.status ?? {}) as Readonly<Record<string, number | undefined>>
    const { desiredNumberScheduled: wanted = 1, currentNumberScheduled: all = 0, numberAvailable: ready = 0 } = status
    const updated = object.spec.updateStrategy?.type === 'OnDelete' ? wanted : (status.updatedNumberScheduled ?? 0)
    return waitingOf(object, status.observedGeneration, { wanted, updated, ready, all })
  })
  return [...deployments, ...sets, ...daemons].flat()
}

function waitingOf(
  { kind, metadata }: Deployment | StatefulSet | DaemonSet,
  observed: number | undefined,
  { wanted, updated, ready, all }: Progress,
): string[] {
  const done = observed === metadata.generation && updated === wanted && ready === wanted && all === wanted
  return done ? [] : [`${kind}/${metadata.name}: ${ready} of ${wanted} available, ${updated} of them up to date`]
}

/** Pods of nobody. */
function podsWaiting(store: ObjectStore): string[] {
  const alone = store.list<Pod>('pods').filter(({ metadata }) => !metadata.ownerReferences?.length)
  return alone
    .filter((pod) => !isReady(pod) && pod.status?.phase !== 'Succeeded')
    .map(({ metadata, status }) => `Pod/${metadata.name}: ${status?.phase ?? 'Pending'}, not ready`)
}
