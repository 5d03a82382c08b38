import { type LogLine } from '../api/engine-port.js'
import { AppendLog } from '../kernel/append-log.js'
import { Observers } from '../kernel/observers.js'

/** The kubelet keeps a container's log within bounds; here the oldest lines go first. */
const MAX_CHARACTERS = 32 * 1024 * 1024

/** The log of one container instance. */
export class ContainerLog {
  private readonly kept = new AppendLog<LogLine>()
  private characters = 0
  private readonly observers = new Observers<LogLine>()

  get lines(): readonly LogLine[] {
    return this.kept.toArray()
  }

  write(at: number, text: string): void {
    const line = Object.freeze({ at, text })
    this.kept.push(line)
    this.characters += text.length
    if (this.characters > MAX_CHARACTERS) this.shorten()
    this.observers.tell(line)
  }

  /** For those outside the engine; a fork starts without. */
  follow(observer: (line: LogLine) => void): () => void {
    return this.observers.add(observer)
  }

  /** Drops the older half at once, so that dropping costs little per line. */
  private shorten(): void {
    for (const { text } of this.kept.trim(this.kept.length >> 1)) this.characters -= text.length
  }
}
