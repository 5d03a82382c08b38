import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import { type TenantId } from '@ordeal/shared'

export const roles = ['viewer', 'operator', 'editor', 'admin'] as const
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
