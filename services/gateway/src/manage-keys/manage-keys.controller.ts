import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, UseGuards } from '@nestjs/common'
import { ApiKeyGuard } from '../api/api-key.guard.js'
import { hashOfKey, newApiKey } from '../api/api-key.js'
import { createKeySchema, type KeyView, type NewKey } from '../api/contract.js'
import { Asking, type Principal, requireRole } from '../api/principal.js'
import { parseRequest, ProblemError } from '../api/problems.js'
import { insertKey, revokeKey, selectKeys } from '../db/api-keys.sql.js'
import { PORTS, type GatewayPorts } from '../ports.js'

/** A tenant's API keys, in the hands of its administrators. */
@Controller('v1/keys')
@UseGuards(ApiKeyGuard)
export class ManageKeysController {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  /** 201 with the key's text, which is shown this once. */
  @Post()
  async create(@Asking() who: Principal, @Body() body: unknown): Promise<NewKey> {
    requireRole(who, 'admin')
    const { id, role, expiresAt } = parseRequest(createKeySchema, body)
    const key = newApiKey()
    const record = { id, role, hash: hashOfKey(key), expiresAt: expiresAt === null ? null : new Date(expiresAt) }
    const added = await this.ports.store.withTenant(who.tenantId, (tx) => insertKey(tx, who.tenantId, record))
    if (!added) throw new ProblemError('exists', `There is a key ${id} already, or was one`)
    return { id, role, key, expiresAt }
  }

  @Get()
  async list(@Asking() who: Principal): Promise<{ keys: KeyView[] }> {
    requireRole(who, 'admin')
    return { keys: await this.ports.store.withTenant(who.tenantId, selectKeys) }
  }

  /** From the next request on it opens nothing; revoking it again changes nothing. */
  @Delete(':id')
  @HttpCode(204)
  async revoke(@Asking() who: Principal, @Param('id') id: string): Promise<void> {
    requireRole(who, 'admin')
    const known = await this.ports.store.withTenant(who.tenantId, (tx) => revokeKey(tx, id))
    if (!known) throw new ProblemError('not-found', `There is no key ${id.slice(0, 64)}`)
  }
}
