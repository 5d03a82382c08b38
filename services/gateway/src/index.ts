export { newApiKey } from './api/api-key.js'
export { gatewayParts } from './gateway.parts.js'
export { provisionTenant } from './provision-tenant.js'
export { openApiDocument } from './describe-api/openapi.js'
