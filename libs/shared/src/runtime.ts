/**
 * The runtime of services, apart from the contracts because it loads NestJS, Postgres and NATS: half a second that a
 * program without a service need not wait for.
 */
export { BrokerError } from './messaging/connection.js'
export { Slots } from './messaging/slots.js'
export { runMain } from './service/run-main.js'
export { decide, type Decided } from './people/approvals.sql.js'
export { answerName, givenDraft } from './people/people.js'
export { SERVICE_RUNTIME } from './service/runtime.js'
export { startService } from './service/start-service.js'
export { addArtefact, createPostgresArtefacts, createPostgresVault, putInVault } from './store/cycle-documents.js'
export { migrate } from './store/migrate.js'
export { createStore } from './store/store.js'
