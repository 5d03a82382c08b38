import { parentPort, workerData } from 'node:worker_threads'
import { coerceError } from '@ordeal/shared'
import { Engine } from './engine.js'
import { type RenderAnswer, type RenderRequest } from './protocol.js'

/** What a worker says of a request: an answer, or the way in which the module failed. */
export type WorkerReply = { readonly answer: RenderAnswer } | { readonly failure: string; readonly lastWords: string }

const engine = new Engine((workerData as { module: WebAssembly.Module }).module)

function reply(request: RenderRequest): WorkerReply {
  try {
    return { answer: engine.render(request) }
  } catch (error) {
    return { failure: coerceError(error).message, lastWords: engine.lastWords() }
  }
}

parentPort?.on('message', (request: RenderRequest) => parentPort?.postMessage(reply(request)))
