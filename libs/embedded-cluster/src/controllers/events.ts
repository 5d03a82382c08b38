import { type Kernel } from '../kernel/kernel.js'
import { timestamp, type StoredObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'

export interface EventText {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** For events about one container: `spec.containers{web}`. */
  readonly fieldPath?: string
  readonly annotations?: Readonly<Record<string, string>>
}
export interface EventSource {
  readonly component: string
  readonly host?: string
}

interface Known {
  readonly namespace: string
  readonly name: string
}

/** Kubernetes keeps an event for an hour after it was last written. */
const KEPT_MS = 3_600_000

/** Writes Events as controllers do: the same words about the same object again raise the count of the first. */
export class EventRecorder {
  private readonly known = new Map<string, Known>()
  private sequence = 0

  constructor(
    private readonly kernel: Kernel,
    private readonly store: ObjectStore,
  ) {}

  /** Says something about an object; said again, it raises the count. */
  record(about: StoredObject, source: EventSource, text: EventText): void {
    const key = [about.metadata.uid, source.component, text.reason, text.fieldPath ?? '', text.message].join('|')
    const known = this.known.get(key)
    const earlier = known && this.store.get('events', known.namespace, known.name)
    if (earlier) {
      const count = (earlier.count as number) + 1
      this.store.update('events', { ...earlier, count, lastTimestamp: timestamp(this.kernel.now) })
      return
    }
    const created = this.create(about, source, text)
    if (!created) return
    this.known.set(key, created)
    this.kernel.after(KEPT_MS, this, 'forget', created, key)
  }

  /** Writes an event of its own, even if the same was said before. */
  recordOnce(about: StoredObject, source: EventSource, text: EventText): void {
    const created = this.create(about, source, text)
    if (created) this.kernel.after(KEPT_MS, this, 'forget', created, null)
  }

  private create(about: StoredObject, source: EventSource, text: EventText): Known | null {
    const now = timestamp(this.kernel.now)
    const namespace = about.metadata.namespace ?? 'default'
    // A namespace that is going takes no new objects, so nobody could read the event.
    if (this.store.get('namespaces', null, namespace)?.metadata.deletionTimestamp) return null
    const name = `${about.metadata.name}.${this.suffix()}`
    this.store.create('events', event({ about, source, text, namespace, name, now }))
    return Object.freeze({ namespace, name })
  }

  /** For the kernel: removes an event that was not written again for as long as events are kept. */
  forget(event: Known, key: string | null): void {
    const found = this.store.get('events', event.namespace, event.name)
    const left = found ? Date.parse(found.lastTimestamp as string) + KEPT_MS - this.kernel.now : 0
    if (left > 0) {
      this.kernel.after(left, this, 'forget', event, key)
      return
    }
    if (found) this.store.remove('events', event.namespace, event.name)
    if (key !== null) this.known.delete(key)
  }

  /** Names carry nanoseconds in Kubernetes; a sequence keeps them unique within one instant. */
  private suffix(): string {
    this.sequence += 1
    return (BigInt(Math.floor(this.kernel.now)) * 1_000_000n + BigInt(this.sequence % 1_000_000)).toString(16)
  }
}

interface EventParts {
  about: StoredObject
  source: EventSource
  text: EventText
  namespace: string
  name: string
  now: string
}

function event({ about, source, text, namespace, name, now }: EventParts) {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace, ...(text.annotations ? { annotations: text.annotations } : {}) },
    involvedObject: {
      kind: about.kind,
      namespace: about.metadata.namespace,
      name: about.metadata.name,
      uid: about.metadata.uid,
      apiVersion: about.apiVersion,
      resourceVersion: about.metadata.resourceVersion,
      ...(text.fieldPath ? { fieldPath: text.fieldPath } : {}),
    },
    reason: text.reason,
    message: text.message,
    source: { ...source },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type: text.type,
    eventTime: null,
    reportingComponent: source.component,
    reportingInstance: source.host ?? '',
  }
}
