import type { IncomingMessage } from 'node:http'
import { parse } from 'yaml'
import { isTooDeep } from '../schema/depth.js'
import { readProtobuf } from '../schema/protobuf.js'
import { definitionName } from '../schema/schemas.js'
import { ApiError, badRequest } from '../store/api-error.js'

/** As much as an API server takes. */
const MAX_BODY_BYTES = 3 * 1024 * 1024

/** The media type of a request, without its parameters. */
export function mediaTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/**
 * Reads and parses a body of JSON, YAML or Kubernetes' protobuf; undefined when there is none. Throws ApiError 400,
 * 413, 415.
 */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const body = await readAny(request)
  if (isTooDeep(body)) throw badRequest('the body is nested too deeply: exceeded max depth')
  return body
}

async function readAny(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBytes(request)
  if (bytes.length === 0) return undefined
  const type = mediaTypeOf(request)
  if (type.includes('yaml')) return parseWith(() => parse(bytes.toString(), { maxAliasCount: 100 }) as unknown, 'YAML')
  if (type.includes('protobuf')) return parseWith(() => readProtobuf(bytes, definitionName), 'protobuf')
  if (type.includes('cbor')) {
    throw new ApiError(415, 'UnsupportedMediaType', `${type} is not accepted: send application/json`)
  }
  return parseWith(() => JSON.parse(bytes.toString()) as unknown, 'JSON')
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
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
