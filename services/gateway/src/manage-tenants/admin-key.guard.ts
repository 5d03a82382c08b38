import { timingSafeEqual } from 'node:crypto'
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common'
import { bearerOf, hashOfKey } from '../api/api-key.js'
import { type AuthenticatedRequest } from '../api/principal.js'
import { ProblemError } from '../api/problems.js'
import { PORTS, type GatewayPorts } from '../ports.js'

/** Lets only the operator of the installation pass, whose key belongs to no tenant and opens nothing of one. */
@Injectable()
export class AdminKeyGuard implements CanActivate {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  canActivate(context: ExecutionContext): boolean {
    const { adminKey } = this.ports
    const key = bearerOf(context.switchToHttp().getRequest<AuthenticatedRequest>())
    if (adminKey === null)
      throw new ProblemError('forbidden', 'This gateway has no ORDEAL_ADMIN_KEY: it makes no tenants')
    if (!key || !timingSafeEqual(hashOfKey(key), hashOfKey(adminKey)))
      throw new ProblemError('unauthorized', "This is not the installation's admin key")
    return true
  }
}
