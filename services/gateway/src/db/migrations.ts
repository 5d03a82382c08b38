import { type MigrationSet } from '@ordeal/shared'

/** Tables of the HTTP interface, besides the projection's own. */
export const gatewayMigrations: MigrationSet = {
  name: 'gateway/http',
  schema: 'gateway',
  folder: new URL('./migrations/', import.meta.url),
}
