import { tenantId } from '@ordeal/shared'
import { runMain } from '@ordeal/shared/runtime'
import { readBootstrap, readInstallation } from './bootstrap.config.js'
import { gatewayParts } from './gateway.parts.js'
import { provisionTenant } from './provision-tenant.js'

await runMain('gateway', (_, environment) => {
  const bootstrap = readBootstrap(environment)
  const { definition, options } = gatewayParts(readInstallation(environment))
  return {
    definition,
    options: {
      ...options,
      configure: async (app, runtime) => {
        await options.configure?.(app, runtime)
        if (bootstrap)
          await provisionTenant(runtime.store, tenantId.parse(bootstrap.tenant), {
            id: 'bootstrap',
            apiKey: bootstrap.apiKey,
          })
      },
    },
  }
})
