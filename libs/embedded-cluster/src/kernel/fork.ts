/**
 * Copies an object graph, keeping its structure: what was shared or cyclic is so in the copy. Below the root there may be
 * - instances of classes and plain objects (their own fields are copied; methods come from the prototype), arrays, Maps
 *   and Sets: all of them are copied;
 * - frozen objects and arrays, which must be frozen all the way down: they are shared;
 * - `Observers`, which start empty in the copy: they belong to whoever watches the original.
 *
 * Functions cannot be copied (what they close over is out of reach), nor WeakMaps, private `#fields`, or accessors held
 * as own fields. Whoever holds one breaks forking; `fork.unit.spec.ts` walks a busy engine to find it.
 */
import { Observers } from './observers.js'

/** Copies the root and everything below it. Throws a TypeError for what cannot be copied. */
export function fork<T extends object>(root: T): T {
  return new Copier().copyAll(root)
}

class Copier {
  private readonly copies = new Map<object, object>()
  /** Copied, but not yet filled: a list instead of recursion, since graphs are deeper than the stack. */
  private readonly unfilled: [source: object, copy: object][] = []

  copyAll<T extends object>(root: T): T {
    const copy = this.copy(root)
    for (let next = this.unfilled.pop(); next !== undefined; next = this.unfilled.pop()) this.fill(...next)
    return copy as T
  }

  private copy(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) {
      if (typeof value === 'function') throw new TypeError(`a function cannot be forked: ${value.name || 'anonymous'}`)
      return value
    }
    return this.copies.get(value) ?? (Object.isFrozen(value) ? value : this.begin(value))
  }

  private begin(source: object): object {
    const copy = emptyLike(source)
    this.copies.set(source, copy)
    if (!(source instanceof Observers)) this.unfilled.push([source, copy])
    return copy
  }

  private fill(source: object, copy: object): void {
    if (Array.isArray(source)) for (const item of source) (copy as unknown[]).push(this.copy(item))
    else if (source instanceof Map) {
      for (const [key, value] of source) (copy as Map<unknown, unknown>).set(this.copy(key), this.copy(value))
    } else if (source instanceof Set) for (const item of source) (copy as Set<unknown>).add(this.copy(item))
    else this.fillFields(source as Fields, copy as Fields)
  }

  private fillFields(source: Fields, copy: Fields): void {
    for (const name in source) copy[name] = this.copy(source[name])
  }
}

type Fields = Record<string, unknown>

/** A new object of the same kind, without content. */
function emptyLike(source: object): object {
  if (Array.isArray(source)) return []
  if (source instanceof Map) return new Map()
  if (source instanceof Set) return new Set()
  if (source instanceof Observers) return new Observers()
  if (source instanceof WeakMap || source instanceof WeakSet || source instanceof Promise) {
    throw new TypeError(`a ${source.constructor.name} cannot be forked`)
  }
  return Object.create(Object.getPrototypeOf(source) as object | null) as object
}
