import { createLogger, cycleId, type EventDraft, type RunningService, tenantId, type TenantId } from '@ordeal/shared'
import { startService } from '@ordeal/shared/runtime'
import { startSpecServers, type SpecServers } from '@ordeal/shared/testing/services'
import { newApiKey } from '../api/api-key.js'
import { type CycleView, cycleViewSchema } from '../api/contract.js'
import { gatewayParts } from '../gateway.parts.js'
import { provisionTenant } from '../provision-tenant.js'

/** What a request of a spec carries besides its method and path. */
export interface SpecRequest {
  readonly body?: unknown
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A gateway on servers of its own, with one tenant whose administrator asks unless another key is given. */
export interface SpecGateway {
  readonly service: RunningService
  readonly servers: SpecServers
  readonly tenant: TenantId
  readonly adminKey: string
  call(method: string, path: string, more?: SpecRequest): Promise<Response>
  /** Starts a cycle of the tenant. */
  start(body?: object): Promise<CycleView>
  /** Publishes events as if services had. */
  publish(cycle: { readonly id: string }, ...drafts: EventDraft[]): Promise<void>
  stop(): Promise<void>
}

export const UPLOAD = { input: { files: [{ path: 'pod.yaml', content: 'kind: Pod' }] } }

export async function startSpecGateway(): Promise<SpecGateway> {
  const servers = await startSpecServers()
  const adminKey = newApiKey()
  const { definition, options } = gatewayParts({ adminKey, modelHosts: ['models.example.org'] })
  const log = createLogger('gateway', 'silent')
  const service = await startService(definition, servers.config, { ...options, log })
  const [tenant, apiKey] = [tenantId.parse('ours'), newApiKey()]
  await provisionTenant(service.runtime.store, tenant, { id: 'first', apiKey })
  const call: SpecGateway['call'] = (method, path, { body, key = apiKey, headers, signal } = {}) =>
    fetch(`${service.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    })
  return {
    service,
    servers,
    tenant,
    adminKey,
    call,
    start: async (body = UPLOAD) => cycleViewSchema.parse(await (await call('POST', '/v1/cycles', { body })).json()),
    publish: ({ id }, ...drafts) =>
      service.runtime.store.withTenant(tenant, (tx) =>
        service.runtime.emit(tx, { tenantId: tenant, cycleId: cycleId.parse(id) }, drafts),
      ),
    stop: async () => {
      await service.stop()
      await servers.stop()
    },
  }
}
