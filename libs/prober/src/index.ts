export * from './protocol.js'
export { createProber, PROBER_ERROR } from './prober.js'
export type { HttpAnswer, HttpRequest, ListAnswer, Prober, ProberHost } from './prober.js'
export { parseSamples } from './parse-samples.js'
