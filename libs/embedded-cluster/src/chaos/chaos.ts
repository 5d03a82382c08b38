import { type ResourceKey } from '../schema/resources.js'
import { type Change, sameJson } from '../store/object.js'
import { keyOf, splitKey } from '../controllers/objects.js'
import { type Reconciler, WorkQueue } from '../controllers/queue.js'
import { parseGoDuration } from '../images/go-duration.js'
import { type ChaosAction, type ChaosContext } from './action.js'
import { type ChaosEvent, type ChaosSource, tell } from './chaos-events.js'
import { DnsAction } from './dns-actions.js'
import { HttpAction } from './http-actions.js'
import { instancesOf } from './instances.js'
import { NetworkAction } from './network-actions.js'
import { PodAction } from './pod-actions.js'
import { type RecordStep, stepRecord } from './records.js'
import { SelectionError, selectPods } from './select-targets.js'
import { StressAction } from './stress-actions.js'
import { idsOf } from './target-ids.js'
import {
  type Chaos,
  type ChaosRecord,
  conditionsOf,
  type DesiredPhase,
  isOneShot,
  isPaused,
  type TargetRule,
} from './status.js'

const FINALIZER = 'chaos-mesh/records'
const FORCED_CLEAN_UP = 'chaos-mesh.chaos-mesh.org/cleanFinalizer'
/** From an action's start until the daemon on the node has done it. */
const DAEMON_MS = [60, 250] as const

/** Runs Chaos Mesh's controllers. */
export function startChaos(context: ChaosContext): void {
  new ChaosController(context, 'podchaos.chaos-mesh.org', new PodAction(context))
  new ChaosController(context, 'networkchaos.chaos-mesh.org', new NetworkAction(context))
  new ChaosController(context, 'stresschaos.chaos-mesh.org', new StressAction(context))
  new ChaosController(context, 'dnschaos.chaos-mesh.org', new DnsAction(context))
  new ChaosController(context, 'httpchaos.chaos-mesh.org', new HttpAction(context))
}

/**
 * One kind's controllers in their order: finalizer, desired phase, records, conditions, clean-up. Each writes the
 * object and says so in an event of its own; the next look starts from what is stored.
 */
class ChaosController implements Reconciler {
  private readonly queue: WorkQueue
  private readonly daemonUntil = new Map<string, number>()

  constructor(
    private readonly context: ChaosContext,
    private readonly resource: ResourceKey,
    private readonly action: ChaosAction,
  ) {
    const { kernel, store } = context.cluster
    this.queue = new WorkQueue(kernel, resource, this)
    store.subscribe(resource, this, 'changed')
  }

  changed({ type, object, old }: Change): void {
    if (type === 'DELETED') this.daemonUntil.delete(keyOf(object))
    else if (!old || !sameButForEvents(object as Chaos, old as Chaos)) this.queue.add(keyOf(object))
  }

  reconcile(key: string): 'retry' | void {
    const chaos = this.read(key)
    if (!chaos) return
    this.initFinalizer(chaos)
    this.settleDesiredPhase(key)
    const failed = this.stepRecords(key)
    this.settleConditions(key)
    this.cleanFinalizer(key)
    if (failed) return 'retry'
  }

  private initFinalizer(chaos: Chaos): void {
    const { finalizers = [], deletionTimestamp } = chaos.metadata
    if (deletionTimestamp !== undefined || finalizers.includes(FINALIZER)) return
    this.tell(chaos, 'initFinalizers', { type: 'finalizer-inited' })
    this.write({ ...chaos, metadata: { ...chaos.metadata, finalizers: [...finalizers, FINALIZER] } })
    this.tell(chaos, 'initFinalizers', { type: 'updated', field: 'finalizer' })
  }

  private settleDesiredPhase(key: string): void {
    const chaos = this.read(key)
    if (!chaos) return
    const { phase, event } = this.desiredPhase(chaos)
    if (chaos.status?.experiment?.desiredPhase === phase) return
    if (event) this.tell(chaos, 'desiredphase', { type: event })
    this.writeStatus(chaos, { experiment: { ...chaos.status?.experiment, desiredPhase: phase } })
    this.tell(chaos, 'desiredphase', { type: 'updated', field: 'desiredPhase' })
  }

  private desiredPhase(chaos: Chaos): { phase: DesiredPhase; event?: 'deleted' | 'time-up' | 'paused' | 'started' } {
    if (chaos.metadata.deletionTimestamp !== undefined) return { phase: 'Stop', event: 'deleted' }
    if (isOneShot(chaos)) return { phase: 'Run' }
    const left = this.timeLeft(chaos)
    if (left !== null && left <= 0) return { phase: 'Stop', event: 'time-up' }
    if (left !== null) this.queue.addAfter(keyOf(chaos), left)
    return isPaused(chaos) ? { phase: 'Stop', event: 'paused' } : { phase: 'Run', event: 'started' }
  }

  /** Milliseconds until the duration is over, counted from the object's creation as written: in whole seconds. */
  private timeLeft({ metadata, spec }: Chaos): number | null {
    const duration = spec.duration === undefined ? null : parseGoDuration(spec.duration)
    return duration === null
      ? null
      : Date.parse(metadata.creationTimestamp) + duration - this.context.cluster.kernel.now
  }

  /** True when something failed and must be tried again. */
  private stepRecords(key: string): boolean {
    const chaos = this.read(key)
    if (!chaos) return false
    const records = chaos.status?.experiment?.containerRecords ?? this.selectTargets(chaos)
    if (!records) return false
    const selected = withRecords(chaos, records)
    const { now } = this.context.cluster.kernel
    const busy = now < (this.daemonUntil.get(key) ?? 0)
    const steps = records.map((record) =>
      busy && isWaiting(record) ? unchanged(record) : stepRecord(this.action, selected, record, now),
    )
    for (const { event } of steps) if (event) this.tell(chaos, 'records', event)
    const next = steps.map(({ record }) => record)
    this.writeRecords(chaos, next)
    if (next.some(isWaiting)) this.awaitDaemon(key, busy)
    return steps.some(({ retry }) => retry)
  }

  /** The daemon of a node takes a moment to do what it was told. */
  private awaitDaemon(key: string, busy: boolean): void {
    const { kernel } = this.context.cluster
    if (!busy) this.daemonUntil.set(key, kernel.now + kernel.stream('chaos/daemon').between(...DAEMON_MS))
    this.queue.addAfter(key, (this.daemonUntil.get(key) ?? 0) - kernel.now)
  }

  private writeRecords(chaos: Chaos, next: readonly ChaosRecord[]): void {
    const experiment = chaos.status?.experiment
    if (next.every((record, i) => record === experiment?.containerRecords?.[i])) return
    this.writeStatus(chaos, {
      experiment: { ...experiment, containerRecords: next },
      ...instancesOf(chaos, next, this.context.cluster.kernel),
    })
    this.tell(chaos, 'records', { type: 'updated', field: 'records' })
  }

  private selectTargets(chaos: Chaos): ChaosRecord[] | null {
    try {
      const sources = this.select(chaos, chaos.spec, '.')
      return hasTarget(chaos)
        ? [...sources, ...this.select(chaos, chaos.spec.target as TargetRule, '.Target')]
        : sources
    } catch (error) {
      if (!(error instanceof SelectionError)) throw error
      this.tell(chaos, 'records', { type: 'failed', activity: 'select targets', err: error.message })
      return null
    }
  }

  private select(chaos: Chaos, rule: TargetRule, selectorKey: ChaosRecord['selectorKey']): ChaosRecord[] {
    const { store, kernel } = this.context.cluster
    const pods = selectPods(store, kernel.stream('chaos/targets'), rule, chaos.metadata.namespace ?? '')
    const ids = pods.flatMap((pod) => idsOf(chaos, pod))
    if (ids.length === 0) throw new SelectionError('no target has been selected')
    return ids.map((id) => ({ id, selectorKey, phase: 'Not Injected', injectedCount: 0, recoveredCount: 0 }))
  }

  private settleConditions(key: string): void {
    const chaos = this.read(key)
    if (chaos) this.writeStatus(chaos, { conditions: conditionsOf(chaos) })
  }

  private cleanFinalizer(key: string): void {
    const chaos = this.read(key)
    if (!chaos || !isCleanable(chaos)) return
    this.tell(chaos, 'initFinalizers', { type: 'finalizer-removed' })
    this.write({ ...chaos, metadata: { ...chaos.metadata, finalizers: [] } })
    this.tell(chaos, 'initFinalizers', { type: 'updated', field: 'finalizer' })
  }

  private read(key: string): Chaos | undefined {
    return this.context.cluster.store.get<Chaos>(this.resource, ...splitKey(key))
  }

  private write(chaos: Chaos): void {
    this.context.cluster.store.update(this.resource, chaos)
  }

  private writeStatus(chaos: Chaos, part: Chaos['status']): void {
    this.write({ ...chaos, status: { ...chaos.status, ...part } })
  }

  private tell(chaos: Chaos, source: ChaosSource, event: ChaosEvent): void {
    tell(this.context.cluster.events, chaos, source, event)
  }
}

/** Marked for deletion, held by a finalizer, and recovered everywhere (or its clean-up is forced). */
function isCleanable({ metadata, status }: Chaos): boolean {
  if (metadata.deletionTimestamp === undefined || !metadata.finalizers?.length) return false
  if (metadata.annotations?.[FORCED_CLEAN_UP] === 'forced') return true
  return (status?.experiment?.containerRecords ?? []).every(({ phase }) => phase === 'Not Injected')
}

/** Noting down a failure is no reason to look again at once: that would undo the growing delays. */
function sameButForEvents(a: Chaos, b: Chaos): boolean {
  const bare = ({ metadata: { resourceVersion: _, ...metadata }, spec, status }: Chaos) => {
    const containerRecords = status?.experiment?.containerRecords?.map(({ events: _events, ...record }) => record)
    return { metadata, spec, status: { ...status, experiment: { ...status?.experiment, containerRecords } } }
  }
  return sameJson(bare(a), bare(b))
}

const isWaiting = ({ phase }: ChaosRecord): boolean => phase.endsWith('/Wait')

const unchanged = (record: ChaosRecord): RecordStep => ({ record, event: null, retry: false })

/** HTTPChaos has another field of that name. */
const hasTarget = ({ kind, spec }: Chaos): boolean => kind === 'NetworkChaos' && spec.target !== undefined

const withRecords = (chaos: Chaos, containerRecords: readonly ChaosRecord[]): Chaos => ({
  ...chaos,
  status: { ...chaos.status, experiment: { ...chaos.status?.experiment, containerRecords } },
})
