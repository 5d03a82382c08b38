import { TerminalError } from '@ordeal/shared'

/** Thrown when the command was used wrongly; `remedy` says what to write instead. */
export class UsageError extends TerminalError {
  constructor(
    message: string,
    readonly remedy: string | null = null,
  ) {
    super('usage', remedy ? `${message}. ${remedy}` : message)
  }
}

/** Thrown when something that the command needs could not be started or reached. */
export class StartError extends TerminalError {
  constructor(message: string, cause?: unknown) {
    super('start-failed', message, { cause })
  }
}

/** Thrown when a gateway that had answered does not answer any more. */
export class GatewayLostError extends TerminalError {
  constructor(message: string, cause?: unknown) {
    super('gateway-lost', message, { cause })
  }
}

/** Thrown when the gateway answered with an error; `message` carries its detail and remedy. */
export class GatewayError extends TerminalError {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super('gateway', message, { details: { status } })
  }
}
