import { Body, Controller, Delete, Get, HttpCode, Inject, Put, UseGuards } from '@nestjs/common'
import { ApiKeyGuard } from '../api/api-key.guard.js'
import { setModelSchema, type ModelView } from '../api/contract.js'
import { Asking, type Principal, requireRole } from '../api/principal.js'
import { parseRequest, ProblemError } from '../api/problems.js'
import { deleteModel, selectModel, upsertModel } from '../db/models.sql.js'
import { PORTS, type GatewayPorts } from '../ports.js'
import { sealModel } from './model-seal.js'

/** The model that a tenant's cycles ask, in the hands of its administrators. What opens it is never given back. */
@Controller('v1/model')
@UseGuards(ApiKeyGuard)
export class ManageModelController {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  @Put()
  async set(@Asking() who: Principal, @Body() body: unknown): Promise<ModelView> {
    requireRole(who, 'admin')
    const endpoint = parseRequest(setModelSchema, body)
    this.requireAllowed(endpoint.baseUrl)
    const { baseUrl, model } = endpoint
    const sealed = sealModel(this.ports.cipher, who.tenantId, endpoint)
    return this.ports.store.withTenant(who.tenantId, async (tx) => {
      await upsertModel(tx, who.tenantId, { baseUrl, model, sealed })
      return selectModel(tx, who.tenantId)
    })
  }

  @Get()
  async show(@Asking() who: Principal): Promise<ModelView> {
    return this.ports.store.withTenant(who.tenantId, (tx) => selectModel(tx, who.tenantId))
  }

  /** Cycles that run go on with it to their end. */
  @Delete()
  @HttpCode(204)
  async remove(@Asking() who: Principal): Promise<void> {
    requireRole(who, 'admin')
    const known = await this.ports.store.withTenant(who.tenantId, deleteModel)
    if (!known) throw new ProblemError('not-found', 'There is no model of this tenant')
  }

  /** Services send requests there from inside of the installation's network: only where its operator lets them. */
  private requireAllowed(baseUrl: string): void {
    const { host } = new URL(baseUrl)
    if (this.ports.modelHosts.includes(host)) return
    const allowed = this.ports.modelHosts.join(', ') || 'none'
    const detail = `this installation lets tenants use models at: ${allowed} (ORDEAL_MODEL_HOSTS)`
    throw new ProblemError('input-invalid', `/baseUrl: ${detail}`, [{ pointer: '/baseUrl', detail }])
  }
}
