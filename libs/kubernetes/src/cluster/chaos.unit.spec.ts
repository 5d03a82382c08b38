import { type ChaosFault, faultSchema } from '@ordeal/shared'
import { chaosManifest, chaosName } from './chaos.js'
import { injectedRecords, injectionFailure, type ChaosObject } from './chaos-status.js'

const target = { component: 'Deployment/front', selector: { app: 'front' }, mode: 'one' as const, count: null }
const place = { name: 'x', namespace: 'sandbox', labels: { 'ordeal.dev/cycle': 'c' } }
const base = { id: 'f1', target, durationMs: 60_000 }
const kill: ChaosFault = { ...base, kind: 'PodChaos', action: 'pod-kill', parameters: {} }

describe('chaosManifest', () => {
  it('selects only pods of the sandbox and ends by itself', () => {
    expect(chaosManifest(kill, place)).toEqual({
      apiVersion: 'chaos-mesh.org/v1alpha1',
      kind: 'PodChaos',
      metadata: {
        name: 'x',
        namespace: 'sandbox',
        labels: { 'ordeal.dev/cycle': 'c' },
        // Whoever removes it before Chaos Mesh has seen it would leave a fault without an object.
        finalizers: ['chaos-mesh/records'],
      },
      spec: {
        action: 'pod-kill',
        mode: 'one',
        selector: {
          namespaces: ['sandbox'],
          labelSelectors: { app: 'front' },
          podPhaseSelectors: ['Running'],
        },
        duration: '60s',
      },
    })
  })
  it('says how many with mode fixed', () => {
    const fault: ChaosFault = { ...kill, target: { ...target, mode: 'fixed', count: 2 } }
    expect(chaosManifest(fault, place).spec).toMatchObject({ mode: 'fixed', value: '2' })
  })
  it('writes numbers of the network as Chaos Mesh wants them', () => {
    const fault: ChaosFault = {
      ...base,
      kind: 'NetworkChaos',
      action: 'delay',
      parameters: { latencyMs: 150, jitterMs: 10, correlation: 25 },
    }
    expect(chaosManifest(fault, place).spec).toMatchObject({
      direction: 'to',
      delay: { latency: '150ms', jitter: '10ms', correlation: '25' },
    })
  })
  it('names a target for every direction but `to`, as Chaos Mesh demands', () => {
    const fault: ChaosFault = { ...base, kind: 'NetworkChaos', action: 'partition', parameters: { direction: 'both' } }
    expect(chaosManifest(fault, place).spec).toMatchObject({
      direction: 'both',
      target: { mode: 'all', selector: { namespaces: ['sandbox'] } },
    })
  })
})

describe('a fault of each kind', () => {
  const specOf = (fault: object) => chaosManifest(faultSchema.parse({ ...base, ...fault }) as ChaosFault, place).spec
  const delay = { latencyMs: 2.5, reorder: { percent: 50, gap: 5, correlation: 10 } }
  const http = { side: 'response', port: 80, code: 404, requestHeaders: { a: 'b' } }
  const tls = { secret: 's', certificate: 'c', key: 'k' }
  it.each([
    [
      { kind: 'NetworkChaos', action: 'netem', parameters: { delay, loss: { lossPercent: 7.5 }, rate: '1mbps' } },
      {
        action: 'netem',
        delay: {
          latency: '2500us',
          jitter: '0s',
          correlation: '0',
          reorder: { reorder: '50', gap: 5, correlation: '10' },
        },
        loss: { loss: '7.5', correlation: '0' },
        rate: { rate: '1mbps' },
      },
    ],
    [
      { kind: 'NetworkChaos', action: 'partition', parameters: { externalTargets: ['10.0.0.1'], refusal: 'reject' } },
      { direction: 'to', externalTargets: ['10.0.0.1'], partitionBehavior: 'reject' },
    ],
    [
      {
        kind: 'NetworkChaos',
        action: 'bandwidth',
        parameters: { rate: '1mbit', limitBytes: 9, bufferBytes: 8, peakRateBytes: 7, minBurstBytes: 6 },
      },
      { bandwidth: { rate: '1mbit', limit: 9, buffer: 8, peakrate: 7, minburst: 6 } },
    ],
    [
      { kind: 'DNSChaos', action: 'random', parameters: { patterns: ['back.*'], containers: ['a'] } },
      { action: 'random', patterns: ['back.*'], containerNames: ['a'] },
    ],
    [
      { kind: 'HTTPChaos', action: 'replace', parameters: { ...http, tls, replace: { body: 'hä', code: 500 } } },
      {
        target: 'Response',
        port: 80,
        code: 404,
        request_headers: { a: 'b' },
        replace: { body: 'aMOk', code: 500 },
        tls: { secretName: 's', secretNamespace: 'sandbox', certName: 'c', keyName: 'k' },
      },
    ],
    [
      { kind: 'HTTPChaos', action: 'patch', parameters: { ...http, delayMs: 50, patch: { body: { a: 1 } } } },
      { delay: '50ms', patch: { body: { type: 'JSON', value: '{"a":1}' } } },
    ],
    [
      { kind: 'HTTPChaos', action: 'abort', parameters: { side: 'request', port: 80 } },
      { target: 'Request', abort: true },
    ],
    [
      {
        kind: 'StressChaos',
        action: 'cpu-and-memory',
        parameters: { cpu: { workers: 2, loadPercent: 80 }, memory: { workers: 1, size: '64MB', oomScoreAdj: -5 } },
      },
      { stressors: { cpu: { workers: 2, load: 80 }, memory: { workers: 1, size: '64MB', oomScoreAdj: -5 } } },
    ],
    [
      { kind: 'StressChaos', action: 'stress-ng', parameters: { arguments: ['--cpu', '1'] } },
      { stressngStressors: '--cpu 1' },
    ],
    [
      {
        kind: 'IOChaos',
        action: 'mistake',
        parameters: { volumePath: '/data', percent: 5, filling: 'zero', maxOccurrences: 1, maxLength: 2 },
      },
      { volumePath: '/data', percent: 5, mistake: { filling: 'zero', maxOccurrences: 1, maxLength: 2 } },
    ],
    [
      { kind: 'TimeChaos', action: 'offset', parameters: { offsetMs: -1500, clocks: ['CLOCK_REALTIME'] } },
      { timeOffset: '-1500ms', clockIds: ['CLOCK_REALTIME'] },
    ],
  ])('writes %j', (fault, expected) => expect(specOf(fault)).toMatchObject(expected))

  it('aims at the pods of the other side by name where they are known', () => {
    const fault = {
      ...base,
      kind: 'NetworkChaos',
      action: 'partition',
      parameters: { direction: 'both' },
    } as ChaosFault
    expect(chaosManifest(fault, { ...place, otherSide: ['back-1', 'witness'] }).spec).toMatchObject({
      target: { mode: 'all', selector: { pods: { sandbox: ['back-1', 'witness'] } } },
    })
  })
})

describe('chaosName', () => {
  it('derives from cycle, revision and fault', () => {
    expect(chaosName('cyc-abc', 2, 'f1')).toBe('cyc-abc-r2-f1')
  })
  it.each(['a'.repeat(80), 'With.Dots_and_CAPITALS'])('fits a label and stays unique for %s', (fault) => {
    const [one, other] = [chaosName('cyc-abc', 2, `${fault}1`), chaosName('cyc-abc', 2, `${fault}2`)]
    expect(one).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
    expect(one).not.toBe(other)
  })
})

describe('what Chaos Mesh writes', () => {
  const withRecords = (containerRecords: object[]): ChaosObject =>
    ({
      apiVersion: 'v1',
      kind: 'PodChaos',
      metadata: { name: 'x' },
      status: { experiment: { containerRecords } },
    }) as ChaosObject

  it('counts a target only by its injectedCount', () => {
    const touched = { id: 'ns/a', phase: 'Not Injected', injectedCount: 1, recoveredCount: 1 }
    const untouched = { id: 'ns/b', phase: 'Injected', injectedCount: 0, recoveredCount: 0 }
    expect(injectedRecords(withRecords([touched, untouched])).map((r) => r.id)).toEqual(['ns/a'])
  })
  it('gives the words of the last failure', () => {
    const events = [
      { operation: 'Apply', type: 'Failed', message: 'unable to set tcs' },
      { operation: 'Apply', type: 'Failed', message: 'unable to set tcs for pod a' },
    ]
    expect(injectionFailure(withRecords([{ id: 'ns/a', injectedCount: 0, events }]))).toBe(
      'unable to set tcs for pod a',
    )
    expect(injectionFailure(withRecords([]))).toBeNull()
  })
})
