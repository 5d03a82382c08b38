/**
 * Functions of those who watch an engine from outside: an HTTP stream, a test. They are no part of the simulation, so
 * a fork starts without any; what the engine itself has to hear of is told to objects by method (see `callback`).
 */
export class Observers<T> {
  private readonly functions = new Set<(value: T) => void>()

  /** Returns what ends it. */
  add(observe: (value: T) => void): () => void {
    const own = (value: T): void => observe(value)
    this.functions.add(own)
    return () => this.functions.delete(own)
  }

  tell(value: T): void {
    if (this.functions.size > 0) for (const observe of this.functions) observe(value)
  }
}
