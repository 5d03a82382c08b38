import { everyFault } from '../testing/faults.js'
import { faultSchema } from './fault.js'

const target = { component: 'Deployment/front', selector: { app: 'front' }, mode: 'one' as const, count: null }
const base = { id: 'f1', target, durationMs: 60_000 }

const problemsOf = (fault: unknown): string[] =>
  (faultSchema.safeParse(fault).error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`)

describe('faultSchema', () => {
  it.each(everyFault({ target, durationMs: 1000 }).map((fault) => [fault.kind, fault.action, fault] as const))(
    'keeps %s %s with all that it says',
    (_kind, _action, fault) => expect(faultSchema.parse(fault)).toEqual(fault),
  )

  it.each([
    [
      { kind: 'NetworkChaos', action: 'delay', parameters: {} },
      'parameters.latencyMs must be a number of milliseconds',
    ],
    [{ kind: 'NetworkChaos', action: 'loss', parameters: { lossPercent: 150 } }, 'parameters.lossPercent '],
    [{ kind: 'NetworkChaos', action: 'loss', parameters: { lossPercent: 5, latencyMs: 5 } }, '"latencyMs"'],
    [
      { kind: 'NetworkChaos', action: 'netem', parameters: { device: 'eth0' } },
      'parameters must have at least one of delay, loss',
    ],
    [
      { kind: 'NetworkChaos', action: 'bandwidth', parameters: { rate: '1 MB/s', limitBytes: 1, bufferBytes: 1 } },
      "parameters.rate must be a whole number with a unit, such as '10mbit'",
    ],
    [{ kind: 'HTTPChaos', action: 'abort', parameters: { side: 'request' } }, 'parameters.port must be the port'],
    [
      { kind: 'HTTPChaos', action: 'replace', parameters: { side: 'response', port: 80, replace: {} } },
      'parameters.replace must name at least one thing',
    ],
    [
      { kind: 'HTTPChaos', action: 'replace', parameters: { side: 'request', port: 80, replace: { code: 500 } } },
      '"code"',
    ],
    [
      { kind: 'StressChaos', action: 'stress-ng', parameters: { arguments: ['--temp-path', '/etc'] } },
      'parameters.arguments.1 must be an option or a value of stress-ng',
    ],
    [{ kind: 'StressChaos', action: 'memory', parameters: { memory: { workers: 0 } } }, 'parameters.memory.workers '],
    [
      { kind: 'IOChaos', action: 'latency', parameters: { volumePath: 'data', delayMs: 5 } },
      'parameters.volumePath must be the absolute mount path',
    ],
    [{ kind: 'TimeChaos', action: 'offset', parameters: { offsetMs: 0 } }, 'parameters.offsetMs must not be 0'],
  ])('names what is wrong with %j', (fault, words) => {
    expect(problemsOf({ ...base, ...fault })).toContainEqual(expect.stringContaining(words))
  })

  it.each([
    [{ durationMs: 0 }, 'durationMs'],
    [{ durationMs: 1.5 }, 'durationMs'],
    [{ durationMs: 43_200_001 }, 'durationMs'],
    [{ durationMs: '60s' }, 'durationMs must be a whole number of milliseconds'],
    [{ id: 'not a name' }, 'id must be up to 40 letters'],
    [{ startAfterMs: -1 }, 'startAfterMs'],
  ])('names what is wrong with any fault that has %j', (fault, words) => {
    const kill = { ...base, kind: 'PodChaos', action: 'pod-kill', parameters: {} }
    expect(problemsOf({ ...kill, ...fault })).toEqual([expect.stringContaining(words)])
  })
})
