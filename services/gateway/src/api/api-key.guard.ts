import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common'
import { PORTS, type GatewayPorts } from '../ports.js'
import { bearerOf, findPrincipal } from './api-key.js'
import { ProblemError } from './problems.js'
import { type AuthenticatedRequest } from './principal.js'

/** Lets only requests with a valid API key pass, and notes on them whom it stands for. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>()
    const key = bearerOf(request)
    const principal = key ? await findPrincipal(this.ports.store, key) : null
    if (!principal) throw new ProblemError('unauthorized', key ? 'The API key is not valid' : 'No API key was sent')
    request.principal = principal
    return true
  }
}
