import { renderAnswerSchema, type RenderAnswer, type RenderRequest } from './protocol.js'
import { Wasi } from './wasi.js'

/** An instance whose memory has grown beyond this is replaced instead of put back: memory never shrinks. */
const KEEP_BYTES = 96 * 1024 * 1024

interface Exports {
  readonly memory: WebAssembly.Memory
  readonly _initialize: () => void
  readonly allocate: (size: number) => number
  readonly render: () => number
  readonly answer: () => number
}

/** The whole state of an instance: nothing else in it can change. */
interface Snapshot {
  readonly memory: Uint8Array
  readonly globals: readonly unknown[]
}

/**
 * Runs requests on the module, each in the state that followed its start: nothing of a request, not even what Go's
 * random numbers or caches learned from it, reaches the next. Starting takes a quarter of a second; putting the state
 * back, milliseconds.
 */
export class Engine {
  private readonly wasi = new Wasi(() => this.exports.memory.buffer)
  private readonly snapshot: Snapshot
  private exports: Exports

  constructor(private readonly module: WebAssembly.Module) {
    this.exports = this.instantiate()
    this.exports._initialize()
    const globals = globalsOf(this.exports).map((global) => global.value)
    this.snapshot = { memory: new Uint8Array(this.exports.memory.buffer).slice(), globals }
  }

  /** Renders; throws what the module throws when its memory or its program comes to an end. */
  render(request: RenderRequest): RenderAnswer {
    this.restore()
    const body = Buffer.from(JSON.stringify(request))
    const at = this.exports.allocate(body.length)
    body.copy(this.bytes(at, body.length))
    const length = this.exports.render()
    return renderAnswerSchema.parse(JSON.parse(this.bytes(this.exports.answer(), length).toString()))
  }

  /** What the program wrote before it came to an end. */
  lastWords(): string {
    return this.wasi.written()
  }

  private bytes(at: number, length: number): Buffer {
    return Buffer.from(this.exports.memory.buffer, at, length)
  }

  private instantiate(): Exports {
    const instance = new WebAssembly.Instance(this.module, this.wasi.imports(this.module))
    return instance.exports as Exports
  }

  private restore(): void {
    const { memory, globals } = this.snapshot
    if (this.exports.memory.buffer.byteLength > KEEP_BYTES) {
      this.exports = this.instantiate()
      this.exports.memory.grow((memory.length - this.exports.memory.buffer.byteLength) / 65_536)
    }
    const bytes = new Uint8Array(this.exports.memory.buffer)
    bytes.set(memory)
    bytes.fill(0, memory.length)
    globalsOf(this.exports).forEach((global, i) => (global.value = globals[i]))
    this.wasi.reset()
  }
}

/** Exported by scripts/wasm-patch.mjs in their order. */
const globalsOf = (exports: Exports): WebAssembly.Global[] =>
  Object.values<unknown>({ ...exports }).filter((each) => each instanceof WebAssembly.Global)
