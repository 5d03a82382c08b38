import { TerminalError } from '@ordeal/shared'

/** Thrown when the API server says no: `status` and `reason` are its own (409 AlreadyExists, 422 Invalid, …). */
export class RefusedError extends TerminalError {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
  ) {
    super('refused-by-cluster', message, { details: { status, reason } })
  }
}

/** Thrown when the cluster does not answer, or is not there any more. */
export class ClusterLostError extends TerminalError {
  constructor(message: string, cause?: unknown) {
    super('cluster-lost', message, { cause })
  }
}

export const isRefused = (error: unknown, ...statuses: number[]): error is RefusedError =>
  error instanceof RefusedError && statuses.includes(error.status)
