import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import { type TenantId } from '@ordeal/shared'
import { roles } from './contract.js'
import { ProblemError } from './problems.js'

export type Role = (typeof roles)[number]

/** Who asks: the tenant and the key of the request. */
export interface Principal {
  readonly tenantId: TenantId
  readonly keyId: string
  readonly role: Role
}

/** A request whose API key was accepted. */
export interface AuthenticatedRequest {
  readonly headers: Record<string, string | string[] | undefined>
  principal?: Principal
}

/** Gives a handler the Principal that the guard found. */
export const Asking = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>()
  if (!principal) throw new Error('a route without the API key guard asks for the principal')
  return principal
})

/** Throws ProblemError `forbidden` when the key's role is below `least`. */
export function requireRole({ role }: Principal, least: Role): void {
  if (roles.indexOf(role) >= roles.indexOf(least)) return
  throw new ProblemError('forbidden', `The key has the role ${role}; this needs ${least}`)
}
