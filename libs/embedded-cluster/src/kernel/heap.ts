/** Something that is due: earlier `time` first, and among equals the lower `sequence` (the one scheduled first). */
export interface Due {
  readonly time: number
  readonly sequence: number
}

/** Binary min-heap of due things. The order is total, so the order of removal never depends on the heap's shape. */
export class DueHeap<T extends Due> {
  private readonly items: T[] = []

  get size(): number {
    return this.items.length
  }

  peek(): T | undefined {
    return this.items[0]
  }

  push(item: T): void {
    const items = this.items
    let index = items.length
    items.push(item)
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = items[parent] as T
      if (!before(item, above)) break
      items[index] = above
      index = parent
    }
    items[index] = item
  }

  pop(): T | undefined {
    const top = this.items[0]
    const last = this.items.pop()
    if (last !== undefined && this.items.length > 0) this.sink(last, 0)
    return top
  }

  /** Drops what `keep` refuses, in O(n). */
  filter(keep: (item: T) => boolean): void {
    const kept = this.items.filter(keep)
    this.items.length = 0
    for (const item of kept) this.items.push(item)
    for (let i = (kept.length >> 1) - 1; i >= 0; i--) this.sink(this.items[i] as T, i)
  }

  private sink(moved: T, start: number): void {
    const items = this.items
    const size = items.length
    let index = start
    for (;;) {
      let child = 2 * index + 1
      if (child >= size) break
      if (child + 1 < size && before(items[child + 1] as T, items[child] as T)) child++
      if (!before(items[child] as T, moved)) break
      items[index] = items[child] as T
      index = child
    }
    items[index] = moved
  }
}

function before(a: Due, b: Due): boolean {
  return a.time < b.time || (a.time === b.time && a.sequence < b.sequence)
}
