import { type Fault } from '@ordeal/shared'
import { chaosManifest, chaosName, injectedRecords, injectionFailure, type ChaosObject } from './chaos.js'

const target = { component: 'Deployment/front', selector: { app: 'front' }, mode: 'one' as const, count: null }
const place = { name: 'x', namespace: 'sandbox', labels: { 'ordeal.dev/cycle': 'c' } }
const kill: Fault = { id: 'f1', kind: 'PodChaos', action: 'pod-kill', target, durationMs: 60_000, parameters: {} }

describe('chaosManifest', () => {
  it('selects only pods of the sandbox and ends by itself', () => {
    expect(chaosManifest(kill, place)).toEqual({
      apiVersion: 'chaos-mesh.org/v1alpha1',
      kind: 'PodChaos',
      metadata: { name: 'x', namespace: 'sandbox', labels: { 'ordeal.dev/cycle': 'c' } },
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
    const fault: Fault = { ...kill, target: { ...target, mode: 'fixed', count: 2 } }
    expect(chaosManifest(fault, place).spec).toMatchObject({ mode: 'fixed', value: '2' })
  })
  it('writes numbers of the network as Chaos Mesh wants them', () => {
    const fault: Fault = {
      ...kill,
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
    const fault: Fault = { ...kill, kind: 'NetworkChaos', action: 'partition', parameters: { direction: 'both' } }
    expect(chaosManifest(fault, place).spec).toMatchObject({
      direction: 'both',
      target: { mode: 'all', selector: { namespaces: ['sandbox'] } },
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
