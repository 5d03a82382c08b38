/** Of WASI, what a Go program asks for that has no files, no environment, and no network. */

const SUCCESS = 0
const BAD_DESCRIPTOR = 8
const NOT_SUPPORTED = 52

/** Thrown into the module's caller when its program ends itself, as Go does after a fatal error. */
class ProgramExit extends Error {
  constructor(readonly code: number) {
    super(`the renderer ended itself with code ${code}`)
  }
}

/** The program's world. It is the same for each request: the same seed, and a clock that moves a microsecond a look. */
export class Wasi {
  private nanoseconds = START
  private state = 1
  private text = ''

  constructor(private readonly memory: () => ArrayBuffer) {}

  /** Begins anew: the same random bytes and times come again. */
  reset(): void {
    this.nanoseconds = START
    this.state = 1
    this.text = ''
  }

  /** What the program wrote, the first lines of a fatal error among it. */
  written(): string {
    return this.text
  }

  /** The functions that the module imports; whatever is not here answers that it is not supported. */
  imports(module: WebAssembly.Module): WebAssembly.Imports {
    const known = this.functions()
    const names = WebAssembly.Module.imports(module).map(({ name }) => name)
    return { wasi_snapshot_preview1: Object.fromEntries(names.map((name) => [name, known[name] ?? notSupported])) }
  }

  private functions(): Record<string, WebAssembly.Import> {
    return {
      args_sizes_get: (count: number, size: number) => this.put(count, 1) + this.put(size, NAME.length),
      args_get: (list: number, buffer: number) => this.put(list, buffer) + this.bytes(buffer, NAME),
      environ_sizes_get: (count: number, size: number) => this.put(count, 0) + this.put(size, 0),
      environ_get: () => SUCCESS,
      clock_time_get: (_clock: number, _precision: bigint, at: number) => this.time(at),
      random_get: (at: number, length: number) => this.bytes(at, this.random(length)),
      fd_write: (_file: number, vectors: number, count: number, written: number) =>
        this.put(written, this.write(vectors, count)),
      fd_prestat_get: () => BAD_DESCRIPTOR,
      sched_yield: () => SUCCESS,
      poll_oneoff: (...args: [number, number, number, number]) => this.happen(...args),
      proc_exit: (code: number) => {
        throw new ProgramExit(code)
      },
    }
  }

  private time(at: number): number {
    this.nanoseconds += 1000n
    new DataView(this.memory()).setBigUint64(at, this.nanoseconds, true)
    return SUCCESS
  }

  /** Whatever the program waits for, it is there at once: it can wait for a time only, and the clock is put forward. */
  private happen(subscriptions: number, events: number, count: number, happened: number): number {
    const view = new DataView(this.memory())
    const until = view.getBigUint64(subscriptions + 24, true)
    const isAbsolute = (view.getUint16(subscriptions + 40, true) & 1) === 1
    const target = isAbsolute ? until : this.nanoseconds + until
    if (target > this.nanoseconds) this.nanoseconds = target
    return this.bytes(events, new Uint8Array(32 * count)) + this.put(happened, count)
  }

  private put(at: number, value: number): number {
    new DataView(this.memory()).setUint32(at, value, true)
    return SUCCESS
  }

  private bytes(at: number, bytes: Uint8Array): number {
    new Uint8Array(this.memory()).set(bytes, at)
    return SUCCESS
  }

  /** xorshift32: what it gives is never a secret, for it is the same each time. */
  private random(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => {
      this.state ^= this.state << 13
      this.state ^= this.state >>> 17
      this.state ^= this.state << 5
      return this.state >>> 24
    })
  }

  private write(vectors: number, count: number): number {
    const view = new DataView(this.memory())
    let length = 0
    for (let i = 0; i < count; i++) {
      const [at, size] = [view.getUint32(vectors + 8 * i, true), view.getUint32(vectors + 8 * i + 4, true)]
      if (this.text.length < MAX_WRITTEN) this.text += Buffer.from(view.buffer, at, size).toString()
      length += size
    }
    return length
  }
}

const notSupported = (): number => NOT_SUPPORTED
const NAME = Buffer.from('renderer\0')
const MAX_WRITTEN = 4000
/** The year's first moment: a certificate that a chart makes for a year is valid, and the same, all year. */
const START = BigInt(Date.UTC(new Date().getUTCFullYear(), 0)) * 1_000_000n
