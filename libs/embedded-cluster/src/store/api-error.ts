/** One reason of a Status, with the place in the object where there is one. */
export interface StatusCause {
  reason: string
  message: string
  field?: string
}

export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

/** `metav1.Status` as an API server answers it. */
export interface Status {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: Record<string, never>
  status: 'Success' | 'Failure'
  message?: string
  reason?: string
  details?: StatusDetails
  code: number
}

/** A refusal as the Kubernetes API words it: `reason` is one of Kubernetes' own (NotFound, Conflict, Invalid, …). */
export class ApiError extends Error {
  override readonly name = 'ApiError'

  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly details: StatusDetails = {},
  ) {
    super(message)
  }

  /** The body of the answer. */
  get status(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      details: this.details,
      code: this.code,
    }
  }
}

/** What an error is about: a plural with its group. */
export interface Subject {
  plural: string
  group: string
}

/** `deployments.apps` or `pods`: how Kubernetes names a resource in messages. */
function qualified(subject: Subject): string {
  return subject.group ? `${subject.plural}.${subject.group}` : subject.plural
}

function details(subject: Subject, name: string): StatusDetails {
  return { name, ...(subject.group ? { group: subject.group } : {}), kind: subject.plural }
}

export function notFound(subject: Subject, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${qualified(subject)} "${name}" not found`, details(subject, name))
}

export function alreadyExists(subject: Subject, name: string): ApiError {
  return new ApiError(409, 'AlreadyExists', `${qualified(subject)} "${name}" already exists`, details(subject, name))
}

export function conflict(subject: Subject, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(subject)} "${name}": ${why}`
  return new ApiError(409, 'Conflict', message, details(subject, name))
}

/** 422 with one cause per problem. `kind` is the object's kind, not its plural: Kubernetes says so here. */
export function invalid(subject: { kind: string; group: string }, name: string, causes: StatusCause[]): ApiError {
  const lines = causes.map((cause) => (cause.field ? `${cause.field}: ${cause.message}` : cause.message))
  const list = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`
  const kind = subject.group ? `${subject.kind}.${subject.group}` : subject.kind
  return new ApiError(422, 'Invalid', `${kind} "${name}" is invalid: ${list}`, {
    name,
    ...(subject.group ? { group: subject.group } : {}),
    kind: subject.kind,
    causes,
  })
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message)
}

/** 410: the watch or list starts at a version that is no longer kept. */
export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message)
}
