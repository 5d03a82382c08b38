import { type Fault } from '../artefacts/fault.js'

type Base = Pick<Fault, 'target' | 'durationMs'>
/** What differs from fault to fault. */
type Body<F = Fault> = F extends Fault ? Pick<F, 'kind' | 'action' | 'parameters'> : never

const packets = {
  direction: 'both',
  peer: { component: 'Deployment/back', selector: { app: 'back' } },
  device: 'eth0',
  peerDevice: 'eth0',
} as const
const delay = { latencyMs: 90.5, jitterMs: 10, correlation: 25, reorder: { percent: 50, gap: 5, correlation: 10 } }
const requests = {
  port: 8080,
  path: '/api/*',
  method: 'GET',
  requestHeaders: { 'x-test': 'yes' },
  tls: { secret: 'certificate', certificate: 'tls.crt', key: 'tls.key', authority: 'ca.crt' },
  delayMs: 200,
} as const
const request = { side: 'request', ...requests } as const
const response = { side: 'response', ...requests, code: 200, responseHeaders: { 'x-answer': 'yes' } } as const
const calls = { volumePath: '/data', path: '/data/**/*.db', methods: ['read', 'write'], percent: 50, containers: ['a'] }
const time = { sec: 1, nsec: 2 }
const cpu = { workers: 2, loadPercent: 80, options: ['--cpu-method', 'fft'] }
const memory = { workers: 1, size: '64MB', oomScoreAdj: -500, options: ['--vm-keep'] }
const names = { patterns: ['back.*', 'chaos-mes?.org'], containers: ['a'] }

const BODIES: readonly Body[] = [
  { kind: 'PodChaos', action: 'pod-kill', parameters: { gracePeriodSeconds: 5 } },
  { kind: 'PodChaos', action: 'pod-failure', parameters: {} },
  { kind: 'PodChaos', action: 'container-kill', parameters: { containers: ['a'] } },
  { kind: 'NetworkChaos', action: 'delay', parameters: { ...packets, ...delay } },
  { kind: 'NetworkChaos', action: 'loss', parameters: { ...packets, lossPercent: 33.3, correlation: 5 } },
  { kind: 'NetworkChaos', action: 'duplicate', parameters: { ...packets, duplicatePercent: 40, correlation: 5 } },
  { kind: 'NetworkChaos', action: 'corrupt', parameters: { ...packets, corruptPercent: 40, correlation: 5 } },
  {
    kind: 'NetworkChaos',
    action: 'bandwidth',
    parameters: {
      ...packets,
      ...{ rate: '1mbps', limitBytes: 20_971_520, bufferBytes: 10_000, peakRateBytes: 2_000_000, minBurstBytes: 1500 },
    },
  },
  {
    kind: 'NetworkChaos',
    action: 'partition',
    parameters: { direction: 'to', externalTargets: ['10.0.0.0/8', '10.9.9.9'], refusal: 'reject' },
  },
  {
    kind: 'NetworkChaos',
    action: 'netem',
    parameters: {
      delay,
      loss: { lossPercent: 10, correlation: 5 },
      duplicate: { duplicatePercent: 10, correlation: 5 },
      corrupt: { corruptPercent: 10, correlation: 5 },
      rate: '10mbit',
    },
  },
  { kind: 'DNSChaos', action: 'error', parameters: names },
  { kind: 'DNSChaos', action: 'random', parameters: names },
  { kind: 'HTTPChaos', action: 'abort', parameters: request },
  { kind: 'HTTPChaos', action: 'abort', parameters: response },
  { kind: 'HTTPChaos', action: 'delay', parameters: request },
  { kind: 'HTTPChaos', action: 'delay', parameters: response },
  {
    kind: 'HTTPChaos',
    action: 'replace',
    parameters: {
      ...request,
      replace: { path: '/other', method: 'PUT', queries: { a: 'b' }, headers: { h: 'v' }, body: 'hällo' },
    },
  },
  {
    kind: 'HTTPChaos',
    action: 'replace',
    parameters: { ...response, replace: { code: 503, headers: { h: 'v' }, body: 'sorry' } },
  },
  {
    kind: 'HTTPChaos',
    action: 'patch',
    parameters: { ...request, patch: { body: { a: 1 }, headers: [['h', 'v']], queries: [['q', 'v']] } },
  },
  {
    kind: 'HTTPChaos',
    action: 'patch',
    parameters: { ...response, patch: { body: { a: 1 }, headers: [['h', 'v']] } },
  },
  { kind: 'StressChaos', action: 'cpu', parameters: { cpu, containers: ['a'] } },
  { kind: 'StressChaos', action: 'memory', parameters: { memory, containers: ['a'] } },
  { kind: 'StressChaos', action: 'cpu-and-memory', parameters: { cpu, memory } },
  { kind: 'StressChaos', action: 'stress-ng', parameters: { arguments: ['--cpu', '1'], containers: ['a'] } },
  { kind: 'IOChaos', action: 'latency', parameters: { ...calls, delayMs: 100 } },
  { kind: 'IOChaos', action: 'fault', parameters: { ...calls, errno: 5 } },
  {
    kind: 'IOChaos',
    action: 'attrOverride',
    parameters: {
      ...calls,
      attr: {
        ...{ ino: 1, size: 2, blocks: 3, atime: time, mtime: time, ctime: time, kind: 'regularFile', perm: 0o644 },
        ...{ nlink: 1, uid: 0, gid: 0, rdev: 0 },
      },
    },
  },
  { kind: 'IOChaos', action: 'mistake', parameters: { ...calls, filling: 'zero', maxOccurrences: 1, maxLength: 10 } },
  { kind: 'Functional', action: 'wrong-port', parameters: { service: 'a' } },
  { kind: 'Functional', action: 'wrong-selector', parameters: { service: 'a' } },
  { kind: 'Functional', action: 'bad-probe', parameters: { probe: 'liveness' } },
  { kind: 'Functional', action: 'missing-env', parameters: { variable: 'A' } },
  { kind: 'Functional', action: 'missing-config', parameters: {} },
  { kind: 'Functional', action: 'bad-image', parameters: {} },
  { kind: 'Functional', action: 'quota-exhausted', parameters: {} },
  { kind: 'Functional', action: 'node-drain', parameters: {} },
  { kind: 'Functional', action: 'rolling-restart', parameters: {} },
  { kind: 'Functional', action: 'scale-to-zero', parameters: {} },
  { kind: 'Functional', action: 'config-change', parameters: { variable: 'A', value: 'b' } },
  { kind: 'Functional', action: 'excess-load', parameters: { service: 'a', requestsPerSecond: 100 } },
  {
    kind: 'TimeChaos',
    action: 'offset',
    parameters: { offsetMs: -3_600_000, clocks: ['CLOCK_REALTIME', 'CLOCK_MONOTONIC'], containers: ['a'] },
  },
]

/** A fault of every kind and action (of HTTP also of each side), with every parameter that it can have. */
export const everyFault = (base: Base): Fault[] => BODIES.map((body, index) => ({ id: `f${index}`, ...base, ...body }))
