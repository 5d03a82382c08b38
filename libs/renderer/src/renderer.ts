import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { InputError, TerminalError } from '@ordeal/shared'
import { loadModule } from './load-module.js'
import { type RenderAnswer, type RenderRequest } from './protocol.js'
import { type WorkerReply } from './render-worker.js'

/** Relative to src and to dist alike: a worker runs what is built. */
const WORKER = new URL('../dist/render-worker.js', import.meta.url)

export interface RendererSettings {
  /**
   * How long a rendering may take: of CPU time, this process's, so that a busy machine refuses nothing that it is only
   * slow with; of wall time, five times as long.
   */
  readonly deadlineMs: number
  /** How many may run at once; more wait. */
  readonly workers: number
  /** How long an idle worker is kept for the next request. */
  readonly idleMs: number
}

const DEFAULTS: RendererSettings = { deadlineMs: 60_000, workers: 2, idleMs: 10_000 }

interface Idle {
  readonly worker: Worker
  readonly timer: NodeJS.Timeout
}

/**
 * Renders Kustomize folders and Helm charts in workers, which an input cannot hold longer than the deadline nor fill
 * beyond the module's memory. A worker is started when it is needed and kept for a while; it never keeps a process alive.
 */
export class Renderer {
  private readonly settings: RendererSettings
  private module: Promise<WebAssembly.Module> | null = null
  private idle: Idle[] = []
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(settings: Partial<RendererSettings> = {}) {
    this.settings = { ...DEFAULTS, ...settings }
  }

  /**
   * Renders one request. What is wrong with the input stands in the answer's `error`. Throws InputError when the input
   * takes too long or too much memory, TerminalError when the renderer is missing.
   */
  async render(request: RenderRequest): Promise<RenderAnswer> {
    await this.turn()
    try {
      const worker = await this.worker()
      return await this.ask(worker, request)
    } finally {
      this.release()
    }
  }

  /** Ends the idle workers; those at work end with their requests. */
  async close(): Promise<void> {
    const idle = this.idle.splice(0)
    for (const { timer } of idle) clearTimeout(timer)
    await Promise.all(idle.map(({ worker }) => worker.terminate()))
  }

  private async turn(): Promise<void> {
    if (this.running >= this.settings.workers) return new Promise<void>((resolve) => this.waiting.push(resolve))
    this.running += 1
  }

  /** Hands the turn over to the first that waits for one. */
  private release(): void {
    const next = this.waiting.shift()
    if (next) next()
    else this.running -= 1
  }

  private async worker(): Promise<Worker> {
    const kept = this.idle.pop()
    if (kept) {
      clearTimeout(kept.timer)
      kept.worker.ref()
      return kept.worker
    }
    this.module ??= loadModule()
    const module = await this.module.catch((error: unknown) => {
      this.module = null
      throw error
    })
    return new Worker(WORKER, { workerData: { module }, env: {}, stdin: false })
  }

  private async ask(worker: Worker, request: RenderRequest): Promise<RenderAnswer> {
    const { signal, end } = startDeadline(this.settings.deadlineMs)
    worker.postMessage(request)
    const reply = await once(worker, 'message', { signal }).catch(async (cause: unknown) => {
      end()
      await worker.terminate()
      if (signal.aborted) throw new InputError(`rendering takes longer than ${this.settings.deadlineMs / 1000} s`)
      throw new TerminalError('renderer-failed', 'the renderer ended without an answer', { cause })
    })
    end()
    return this.read(worker, reply[0] as WorkerReply)
  }

  private read(worker: Worker, reply: WorkerReply): RenderAnswer {
    this.keep(worker)
    if ('answer' in reply) return reply.answer
    if (/out of memory|cannot allocate/.test(reply.lastWords)) {
      throw new InputError('rendering takes more memory than the renderer has')
    }
    const [firstLine] = reply.lastWords.split('\n')
    throw new InputError(`it cannot be rendered: ${firstLine || reply.failure}`)
  }

  private keep(worker: Worker): void {
    worker.unref()
    const timer = setTimeout(() => {
      this.idle = this.idle.filter((each) => each.worker !== worker)
      void worker.terminate()
    }, this.settings.idleMs).unref()
    this.idle.push({ worker, timer })
  }
}

const PATIENCE = 5

function startDeadline(ms: number): { signal: AbortSignal; end: () => void } {
  const [controller, cpu, begun] = [new AbortController(), process.cpuUsage(), performance.now()]
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(cpu)
    if ((user + system) / 1000 > ms || performance.now() - begun > ms * PATIENCE) controller.abort()
  }, 200)
  return { signal: controller.signal, end: () => clearInterval(timer) }
}
