/** Runs work of one key in order and of different keys side by side. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<void>>()

  /** Queues `work` behind what its key has. It must not throw. */
  run(key: string, work: () => Promise<void>): Promise<void> {
    const done = (this.#tails.get(key) ?? Promise.resolve()).then(work)
    const tail = done.finally(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    })
    this.#tails.set(key, tail)
    return tail
  }

  /** Waits for everything that is queued now. */
  async idle(): Promise<void> {
    await Promise.all(this.#tails.values())
  }
}
