import { AppendLog } from '../kernel/append-log.js'
import { invoke } from '../kernel/callback.js'
import { Observers } from '../kernel/observers.js'
import type { ResourceKey } from '../schema/resources.js'
import { type LabelSelector, matchesSelector } from '../schema/selectors.js'
import type { Change, StoredObject } from './object.js'
import { ObjectIndex } from './object-index.js'

const LARGEST_CHUNK = 256

/** A part of the engine that is told of changes: its method gets the change and the resource. */
export interface Listener {
  readonly receiver: object
  readonly method: string
}

/** The objects of one resource, the changes that a watch may look back to, and who wants to hear of them. */
export class Collection {
  private readonly byNamespace = new Map<string, Map<string, StoredObject>>()
  private readonly byUid = new Map<string, StoredObject>()
  private readonly listeners: Listener[] = []
  private readonly observers = new Observers<Change>()
  private readonly log: AppendLog<Change>
  private readonly index = new ObjectIndex()
  private forgottenVersion = 0

  constructor(
    private readonly resource: ResourceKey,
    private readonly history: number,
  ) {
    this.log = new AppendLog(Math.min(LARGEST_CHUNK, history))
  }

  /** Nobody asks for events by label or owner, and there are many of them. */
  private get indexed(): boolean {
    return this.resource !== 'events'
  }

  get size(): number {
    return this.byUid.size
  }

  get(namespace: string | null, name: string): StoredObject | undefined {
    return this.byNamespace.get(namespace ?? '')?.get(name)
  }

  list(namespace: string | null): StoredObject[] {
    const objects = namespace === null ? this.byUid : this.byNamespace.get(namespace)
    return objects ? [...objects.values()] : []
  }

  /** In order of creation; for null, those without a controlling owner. */
  ownedBy(namespace: string, ownerUid: string | null): StoredObject[] {
    return this.index.ownedBy(namespace, ownerUid)
  }

  /** In order of creation. */
  matching(namespace: string, selector: LabelSelector): StoredObject[] {
    return (
      this.index.matching(namespace, selector) ??
      this.list(namespace).filter(({ metadata }) => matchesSelector(selector, metadata.labels))
    )
  }

  apply(change: Change): void {
    const { name, namespace, uid } = change.object.metadata
    if (change.type === 'DELETED') {
      this.byUid.delete(uid)
      this.drop(namespace ?? '', name)
      if (this.indexed) this.index.remove(change.object, change.old ?? change.object)
    } else {
      this.byUid.set(uid, change.object)
      this.bucket(namespace ?? '').set(name, change.object)
      if (this.indexed) this.index.put(change.object, change.old)
    }
    this.remember(change)
    const told = [change, this.resource]
    for (const { receiver, method } of this.listeners) invoke(receiver, method, told)
    this.observers.tell(change)
  }

  subscribe(listener: Listener): void {
    this.listeners.push(listener)
  }

  observe(observer: (change: Change) => void): () => void {
    return this.observers.add(observer)
  }

  changesSince(version: number): readonly Change[] | 'expired' {
    if (version < this.forgottenVersion) return 'expired'
    let start = this.log.length
    while (start > 0 && versionOf(this.log.at(start - 1)) > version) start--
    return this.log.slice(start)
  }

  private bucket(namespace: string): Map<string, StoredObject> {
    let bucket = this.byNamespace.get(namespace)
    if (!bucket) this.byNamespace.set(namespace, (bucket = new Map<string, StoredObject>()))
    return bucket
  }

  private drop(namespace: string, name: string): void {
    const bucket = this.byNamespace.get(namespace)
    bucket?.delete(name)
    if (bucket?.size === 0) this.byNamespace.delete(namespace)
  }

  /** Keeps between one and two times `history` changes, so that forgetting costs little per change. */
  private remember(change: Change): void {
    this.log.push(Object.freeze(change))
    if (this.log.length < this.history * 2) return
    const newest = this.log.trim(this.history).at(-1)
    if (newest) this.forgottenVersion = versionOf(newest)
  }
}

function versionOf(change: Change): number {
  return Number(change.object.metadata.resourceVersion)
}
