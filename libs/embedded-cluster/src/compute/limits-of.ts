import { type Container } from '../controllers/objects.js'
import { parseQuantity } from '../schema/quantity.js'
import { type ComputeLimits } from './container-compute.js'

const MEBIBYTE = 1024 * 1024
/** What an unknown program holds: this share of what it asks for, or of its limit; else a fixed amount. */
const SHARE_OF_REQUEST = 0.6
const SHARE_OF_LIMIT = 0.5
const UNKNOWN_BYTES = 64 * MEBIBYTE
/** Memory that one open request holds: its connection's buffers and stacks. */
const REQUEST_BYTES = 40 * 1024

/** What a program holds, in bytes, where that is known. */
export interface ProgramMemory {
  readonly idle: number | null
  readonly perRequest: number | null
}

/** Limits and requests of a container. */
export function limitsOf({ resources = {} }: Container, { idle, perRequest }: ProgramMemory): ComputeLimits {
  const { limits = {}, requests = {} } = resources
  const amount = (value: string | number | undefined) => (value === undefined ? null : parseQuantity(value))
  const memoryLimit = amount(limits.memory)
  return {
    cpuLimit: amount(limits.cpu),
    cpuRequest: amount(requests.cpu ?? limits.cpu) ?? 0,
    memoryLimit,
    baseMemory: idle ?? guessed(amount(requests.memory), memoryLimit),
    requestMemory: perRequest ?? REQUEST_BYTES,
  }
}

function guessed(request: number | null, limit: number | null): number {
  if (request !== null && request > 0) return request * SHARE_OF_REQUEST
  return limit === null ? UNKNOWN_BYTES : Math.min(UNKNOWN_BYTES, limit * SHARE_OF_LIMIT)
}
