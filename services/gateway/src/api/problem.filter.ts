import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common'
import { coerceError, RetryableError } from '@ordeal/shared'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { PORTS, type GatewayPorts } from '../ports.js'
import { ProblemError, problemOf, type ProblemKind } from './problems.js'

const BY_STATUS: Readonly<Record<number, ProblemKind>> = {
  400: 'input-invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  413: 'too-large',
  415: 'media-type',
}

/** A cycle takes seconds to minutes, an outage of a server mostly less. */
const RETRY_AFTER_SECONDS: Readonly<Record<number, string>> = { 429: '30', 503: '2' }

/** What went wrong, as the caller may know it: nothing of an unexpected error leaves the process but its instance. */
function problemErrorOf(thrown: unknown): ProblemError {
  if (thrown instanceof ProblemError) return thrown
  if (thrown instanceof RetryableError)
    return new ProblemError('unavailable', 'A service that this needs does not answer')
  if (thrown instanceof HttpException) {
    const kind = BY_STATUS[thrown.getStatus()]
    if (kind) return new ProblemError(kind, thrown.message)
  }
  return new ProblemError('internal', 'Something went wrong inside')
}

/** Answers every error in the form of RFC 9457. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp()
    const request = http.getRequest<FastifyRequest>()
    const reply = http.getResponse<FastifyReply>()
    const problem = problemOf(problemErrorOf(thrown), request.id)
    if (problem.status >= 500) {
      const error = coerceError(thrown)
      this.ports.log.error('a request failed', { instance: request.id, path: request.url, reason: error.stack })
    }
    if (reply.sent) return
    const wait = RETRY_AFTER_SECONDS[problem.status]
    if (wait) void reply.header('retry-after', wait)
    if (problem.status === 401) void reply.header('www-authenticate', 'Bearer')
    void reply.status(problem.status).type('application/problem+json').send(problem)
  }
}
