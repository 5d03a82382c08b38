export { startPostgres, type PostgresServer } from './postgres/start-postgres.js'
export { startNats, type NatsServer } from './nats/start-nats.js'
export { localServersConfig, type LocalServersConfig } from './config.js'
