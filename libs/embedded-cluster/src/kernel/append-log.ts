/**
 * A list that only grows at its end and is cut at its head, in chunks. Full ones are frozen: forks share them, so that
 * copies of a long list cost next to nothing. Items should be frozen, too.
 */
export class AppendLog<T> {
  private chunks: (readonly T[])[] = []
  private tail: T[] = []

  constructor(private readonly chunk = 256) {}

  get length(): number {
    return this.chunks.length * this.chunk + this.tail.length
  }

  push(item: T): void {
    this.tail.push(item)
    if (this.tail.length < this.chunk) return
    this.chunks.push(Object.freeze(this.tail))
    this.tail = []
  }

  /** All items, oldest first. */
  toArray(): T[] {
    return concat([...this.chunks, this.tail])
  }

  /** The item at an index that there is. */
  at(index: number): T {
    const chunk = this.chunks[Math.floor(index / this.chunk)] ?? this.tail
    return chunk[index % this.chunk] as T
  }

  /** From an index on, oldest first. */
  slice(start: number): T[] {
    const first = Math.min(Math.floor(start / this.chunk), this.chunks.length)
    return concat([...this.chunks.slice(first), this.tail]).slice(start - first * this.chunk)
  }

  /** Drops whole chunks from the head until at most `keep` items and a part of a chunk are left; returns what went. */
  trim(keep: number): readonly T[] {
    const surplus = Math.floor((this.length - keep) / this.chunk)
    return surplus > 0 ? concat(this.chunks.splice(0, surplus)) : []
  }
}

function concat<T>(chunks: readonly (readonly T[])[]): T[] {
  return ([] as T[]).concat(...chunks)
}
