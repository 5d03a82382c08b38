export * from './protocol.js'
export { createProber, PROBER_ERROR } from './prober.js'
export type { HttpAnswer, HttpRequest, HttpTaker, ListAnswer, ListTaker, Prober, ProberHost, Task } from './prober.js'
export { parseSamples } from './parse-samples.js'
