import type { Change, StoredObject } from './object.js'

/** The objects of one resource, the changes that a watch may look back to, and who wants to hear of them. */
export class Collection {
  private readonly byNamespace = new Map<string, Map<string, StoredObject>>()
  private readonly byUid = new Map<string, StoredObject>()
  private readonly listeners = new Set<(change: Change) => void>()
  private log: Change[] = []
  private forgottenVersion = 0

  constructor(private readonly history: number) {}

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

  apply(change: Change): void {
    const { name, namespace, uid } = change.object.metadata
    if (change.type === 'DELETED') {
      this.byUid.delete(uid)
      this.drop(namespace ?? '', name)
    } else {
      this.byUid.set(uid, change.object)
      this.bucket(namespace ?? '').set(name, change.object)
    }
    this.remember(change)
    for (const listener of this.listeners) listener(change)
  }

  subscribe(listener: (change: Change) => void): () => void {
    const own = (change: Change): void => listener(change)
    this.listeners.add(own)
    return () => this.listeners.delete(own)
  }

  changesSince(version: number): readonly Change[] | 'expired' {
    if (version < this.forgottenVersion) return 'expired'
    let start = this.log.length
    while (start > 0 && versionOf(this.log[start - 1] as Change) > version) start--
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
    this.log.push(change)
    if (this.log.length < this.history * 2) return
    const cut = this.log.length - this.history
    this.forgottenVersion = versionOf(this.log[cut - 1] as Change)
    this.log = this.log.slice(cut)
  }
}

function versionOf(change: Change): number {
  return Number(change.object.metadata.resourceVersion)
}
