import { TerminalError } from '@ordeal/shared'
import { type z } from 'zod'
import { type Problem } from './contract.js'

/** Every kind of error answer: its HTTP status, its title, and what the caller can do. */
const KINDS = {
  unauthorized: { status: 401, title: 'No valid API key', remedy: 'Send the header Authorization: Bearer <API key>' },
  forbidden: { status: 403, title: 'Not allowed', remedy: 'Use a key with the role that this needs' },
  'input-invalid': { status: 400, title: 'The request cannot be used', remedy: 'Correct the places named in errors' },
  'not-found': { status: 404, title: 'Not found', remedy: 'Check the id; GET /v1/cycles lists what there is' },
  'not-there-yet': {
    status: 404,
    title: 'Not there yet',
    remedy: 'Follow GET /v1/cycles/<id>/events until the cycle is finished',
  },
  'too-large': { status: 413, title: 'The upload is too large', remedy: 'Send only the manifests of one application' },
  'media-type': { status: 415, title: 'Unknown media type', remedy: 'Send application/json' },
  decided: { status: 409, title: 'Decided already', remedy: 'GET /v1/cycles/<id>/approvals shows what was decided' },
  'too-late': {
    status: 409,
    title: 'Too late to answer',
    remedy: 'GET /v1/cycles/<id>/approvals shows what became of it',
  },
  unusable: {
    status: 422,
    title: 'The answer cannot be used',
    remedy: 'Correct the places named in errors; the proposal shows the form of a replacement',
  },
  exists: { status: 409, title: 'Exists already', remedy: 'Choose another id' },
  quota: {
    status: 429,
    title: 'Too many cycles at once',
    remedy: 'Wait until one has ended or cancel one, then try again; or ask for a larger quota',
  },
  'key-reused': {
    status: 422,
    title: 'Idempotency-Key was used for another request',
    remedy: 'Use a new key for a new request',
  },
  unavailable: { status: 503, title: 'Not available right now', remedy: 'Try again in a few seconds' },
  internal: {
    status: 500,
    title: 'Internal error',
    remedy: 'Try again; if it stays, report it with the instance of this answer',
  },
} as const

export type ProblemKind = keyof typeof KINDS

/** HTTP status of a kind of problem. */
export const statusOf = (kind: ProblemKind): number => KINDS[kind].status
/** What a kind of problem is called. */
export const titleOf = (kind: ProblemKind): string => KINDS[kind].title

/** Thrown by handlers when a request is refused; becomes an answer of RFC 9457. */
export class ProblemError extends TerminalError {
  constructor(
    readonly kind: ProblemKind,
    message: string,
    readonly errors: NonNullable<Problem['errors']> = [],
  ) {
    super(kind, message)
  }
}

/** The body of an error answer. */
export function problemOf(error: ProblemError, instance: string): Problem {
  const { status, title, remedy } = KINDS[error.kind]
  return {
    type: `https://ordeal.dev/problems/${error.kind}`,
    title,
    status,
    detail: error.message,
    remedy,
    instance,
    ...(error.errors.length ? { errors: error.errors } : {}),
  }
}

const escaped = (part: PropertyKey): string => String(part).replaceAll('~', '~0').replaceAll('/', '~1')

/** The JSON pointer of a path; `/` for the whole. */
export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${escaped(part)}`).join('') || '/'

/** Reads a part of a request. Throws ProblemError `input-invalid` with a JSON pointer for each fault. */
export function parseRequest<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.slice(0, 20).map((issue) => ({
    pointer: pointerOf(issue.path),
    detail: issue.message,
  }))
  throw new ProblemError(
    'input-invalid',
    errors
      .map((e) => `${e.pointer}: ${e.detail}`)
      .slice(0, 3)
      .join('; '),
    errors,
  )
}
