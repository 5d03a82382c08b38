import { type LogLine } from '../api/engine-port.js'

/** The kubelet keeps a container's log within bounds; here the oldest lines go first. */
const MAX_CHARACTERS = 32 * 1024 * 1024

/** The log of one container instance. */
export class ContainerLog {
  private kept: LogLine[] = []
  private characters = 0
  private readonly listeners = new Set<(line: LogLine) => void>()

  get lines(): readonly LogLine[] {
    return this.kept
  }

  write(at: number, text: string): void {
    const line = { at, text }
    this.kept.push(line)
    this.characters += text.length
    if (this.characters > MAX_CHARACTERS) this.shorten()
    for (const listener of this.listeners) listener(line)
  }

  follow(listener: (line: LogLine) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Drops the older half at once, so that dropping costs little per line. */
  private shorten(): void {
    this.kept = this.kept.slice(this.kept.length >> 1)
    this.characters = this.kept.reduce((sum, { text }) => sum + text.length, 0)
  }
}
