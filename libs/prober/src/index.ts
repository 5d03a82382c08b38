export * from './protocol.js'
