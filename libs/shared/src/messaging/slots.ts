/** A number of things that may go on at once. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Resolves when a slot is free, and takes it. */
  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      return
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Runs `work` in a slot of its own. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.take()
    try {
      return await work()
    } finally {
      this.give()
    }
  }

  /** Gives a slot back; whoever waits longest has it next. */
  give(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}
