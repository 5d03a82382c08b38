import { faultProblems } from '@ordeal/kubernetes'
import { faultSchema, type Fault } from '@ordeal/shared'
import { everyFault } from '@ordeal/shared/testing'
import { withLadders } from './ladder.js'

const target = { component: 'Deployment/front', selector: { app: 'front' }, mode: 'one' as const, count: null }
const base = { id: 'f1', target, durationMs: 60_000 }
const ladderOf = (fault: object): unknown => {
  const scenario = { event: 'e', reason: 'r', faults: [[faultSchema.parse({ ...base, ...fault })]] }
  return withLadders(scenario).faults[0]?.[0]?.stronger
}

describe('withLadders', () => {
  it.each([
    [
      { kind: 'NetworkChaos', action: 'delay', parameters: { latencyMs: 50, jitterMs: 5 } },
      [
        { latencyMs: 150, jitterMs: 5 },
        { latencyMs: 500, jitterMs: 5 },
      ],
    ],
    [
      { kind: 'NetworkChaos', action: 'loss', parameters: { lossPercent: 20 } },
      [{ lossPercent: 60 }, { lossPercent: 100 }],
    ],
    [{ kind: 'NetworkChaos', action: 'corrupt', parameters: { corruptPercent: 60 } }, [{ corruptPercent: 100 }]],
    [{ kind: 'NetworkChaos', action: 'loss', parameters: { lossPercent: 100 } }, undefined],
    [
      { kind: 'NetworkChaos', action: 'bandwidth', parameters: { rate: '10mbit', limitBytes: 1, bufferBytes: 1 } },
      [
        { rate: '3mbit', limitBytes: 1, bufferBytes: 1 },
        { rate: '1mbit', limitBytes: 1, bufferBytes: 1 },
      ],
    ],
    [
      { kind: 'NetworkChaos', action: 'netem', parameters: { delay: { latencyMs: 5 }, loss: { lossPercent: 50 } } },
      [
        { delay: { latencyMs: 15 }, loss: { lossPercent: 100 } },
        { delay: { latencyMs: 50 }, loss: { lossPercent: 100 } },
      ],
    ],
    [
      { kind: 'HTTPChaos', action: 'delay', parameters: { side: 'request', port: 80, delayMs: 10 } },
      [
        { side: 'request', port: 80, delayMs: 30 },
        { side: 'request', port: 80, delayMs: 100 },
      ],
    ],
    [
      { kind: 'StressChaos', action: 'cpu', parameters: { cpu: { workers: 1, loadPercent: 20 } } },
      [{ cpu: { workers: 1, loadPercent: 60 } }, { cpu: { workers: 2, loadPercent: 100 } }],
    ],
    [
      { kind: 'StressChaos', action: 'memory', parameters: { memory: { workers: 1, size: '32MB' } } },
      [{ memory: { workers: 1, size: '96MB' } }, { memory: { workers: 1, size: '320MB' } }],
    ],
    [
      { kind: 'IOChaos', action: 'latency', parameters: { volumePath: '/d', delayMs: 10, percent: 50 } },
      [
        { volumePath: '/d', delayMs: 30, percent: 100 },
        { volumePath: '/d', delayMs: 100, percent: 100 },
      ],
    ],
    [
      { kind: 'TimeChaos', action: 'offset', parameters: { offsetMs: -1000 } },
      [{ offsetMs: -3000 }, { offsetMs: -10_000 }],
    ],
    [{ kind: 'NetworkChaos', action: 'partition', parameters: {} }, undefined],
    [{ kind: 'PodChaos', action: 'pod-kill', parameters: {} }, undefined],
    [{ kind: 'DNSChaos', action: 'error', parameters: {} }, undefined],
  ])('gives %j its steps', (fault, steps) => expect(ladderOf(fault)).toEqual(steps))

  it('leaves a ladder alone that is there, an empty one too', () => {
    const delay = { kind: 'NetworkChaos', action: 'delay', parameters: { latencyMs: 50 } }
    expect(ladderOf({ ...delay, stronger: [] })).toEqual([])
    expect(ladderOf({ ...delay, stronger: [{ latencyMs: 51 }] })).toEqual([{ latencyMs: 51 }])
  })

  it('makes only faults that can be injected', () => {
    const scenario = { event: 'e', reason: 'r', faults: [everyFault({ target, durationMs: 1000 })] }
    const made = withLadders(scenario)
    expect(faultProblems(made)).toEqual([])
    expect(made.faults.flat().map((fault): Fault => faultSchema.parse(fault))).toEqual(made.faults.flat())
  })
})
