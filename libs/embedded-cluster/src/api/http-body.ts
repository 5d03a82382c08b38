import type { IncomingMessage } from 'node:http'
import { parse } from 'yaml'
import { ApiError, badRequest } from '../store/api-error.js'

/** As much as etcd's neighbours take, and then some: a request body beyond it is refused. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024

/** The media type of a request, without its parameters. */
export function mediaTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Reads and parses a body of JSON or YAML; undefined when there is none. Throws ApiError 400, 413, 415. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request)
  if (text === '') return undefined
  const type = mediaTypeOf(request)
  if (type.includes('yaml')) return parseWith(() => parse(text, { maxAliasCount: 100 }) as unknown, 'YAML')
  if (type.includes('protobuf') || type.includes('cbor')) {
    throw new ApiError(415, 'UnsupportedMediaType', `${type} is not accepted: send application/json`)
  }
  return parseWith(() => JSON.parse(text) as unknown, 'JSON')
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function tooLarge(): ApiError {
  const message = `Request entity too large: limit is ${MAX_BODY_BYTES}`
  return new ApiError(413, 'RequestEntityTooLarge', message)
}

function parseWith(read: () => unknown, form: string): unknown {
  try {
    return read()
  } catch (error) {
    throw badRequest(`the body is not valid ${form}: ${(error as Error).message}`)
  }
}
