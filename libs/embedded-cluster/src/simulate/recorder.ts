import { isReady, type Pod } from '../controllers/objects.js'
import { type Chaos } from '../chaos/status.js'
import { type Engine } from '../engine.js'
import { RESOURCES } from '../schema/resources.js'
import { type Change, type StoredObject } from '../store/object.js'
import { type FaultRecord, type PodChange, type TraceEvent } from './trace.js'

const CHAOS = RESOURCES.filter(({ group }) => group === 'chaos-mesh.org').map(({ key }) => key)

/** Writes down what happens in a cluster, from outside. */
export class Recorder {
  readonly events: TraceEvent[] = []
  readonly pods: PodChange[] = []
  private readonly chaos = new Map<string, StoredObject>()
  private readonly ends: (() => void)[] = []

  constructor(private readonly engine: Engine) {
    const { store } = engine
    this.ends.push(
      store.observe('events', (change) => this.eventChanged(change)),
      store.observe('pods', (change) => this.podChanged(change)),
      ...CHAOS.map((key) => store.observe(key, ({ object }) => this.chaos.set(object.metadata.uid, object))),
    )
  }

  get faults(): FaultRecord[] {
    return [...this.chaos.values()].map(recordOf)
  }

  close(): void {
    for (const end of this.ends.splice(0)) end()
  }

  private eventChanged({ type, object }: Change): void {
    if (type === 'DELETED') return
    const { kind, name } = object.involvedObject as { kind: string; name: string }
    this.events.push({
      at: this.engine.kernel.now,
      object: `${kind}/${name}`,
      type: object.type as string,
      reason: object.reason as string,
      message: object.message as string,
      count: object.count as number,
    })
  }

  private podChanged({ type, object, old }: Change): void {
    const { namespace = '', name } = object.metadata
    const [now, before] = [object as Pod, old as Pod | null]
    const tell = (change: PodChange['change']) =>
      this.pods.push({ at: this.engine.kernel.now, pod: `${namespace}/${name}`, change })
    if (type === 'ADDED') tell('created')
    if (restartsOf(now) > (before ? restartsOf(before) : 0)) tell('restarted')
    const [ready, wasReady] = [counts(now) && type !== 'DELETED', before !== null && counts(before)]
    if (ready !== wasReady) tell(ready ? 'ready' : 'not-ready')
    if (type === 'DELETED') tell('deleted')
  }
}

/** Ready, and not on its way out. */
const counts = (pod: Pod): boolean => isReady(pod) && pod.metadata.deletionTimestamp === undefined

const restartsOf = ({ status }: Pod): number =>
  (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0)

function recordOf(object: StoredObject): FaultRecord {
  const { status } = object as Chaos
  return {
    object: `${object.kind}/${object.metadata.name}`,
    conditions: Object.fromEntries((status?.conditions ?? []).map(({ type, status: met }) => [type, met === 'True'])),
    targets: (status?.experiment?.containerRecords ?? []).map(({ id, phase, injectedCount, recoveredCount }) => ({
      id,
      phase,
      injectedCount,
      recoveredCount,
    })),
  }
}
