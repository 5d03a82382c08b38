import { type Pod } from '@ordeal/kubernetes'
import { type SampleLine } from '@ordeal/prober'
import { networkEffect, podEffect } from './effect.js'

const pod = ({ uid = 'u1', restarts = 0, ready = true, leaving = false } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'front-1', uid, ...(leaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
  spec: { containers: [] },
  status: {
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    containerStatuses: [{ name: 'web', ready, restartCount: restarts }],
  },
})

describe('podEffect', () => {
  it.each<[string, Pod | null, string | null]>([
    ['nothing changed', pod(), null],
    ['the pod is gone', null, 'front-1 is gone'],
    ['another pod has its name', pod({ uid: 'u2' }), 'front-1 is gone'],
    ['it is being deleted', pod({ leaving: true }), 'front-1 is being ended'],
    ['a container restarted', pod({ restarts: 1 }), 'front-1 restarted 1 time'],
    ['it is not ready', pod({ ready: false }), 'front-1 is not ready any more'],
  ])('when %s', (_, now, effect) => expect(podEffect(pod(), now)).toBe(effect))

  it('counts only restarts since the injection', () => {
    expect(podEffect(pod({ restarts: 3 }), pod({ restarts: 3 }))).toBeNull()
  })
})

const samples = (latencies: (number | null)[]): SampleLine[] =>
  latencies.map((latencyMs, at) => ({ probe: 'p', at, ok: latencyMs !== null, latencyMs, value: null, error: null }))

describe('networkEffect', () => {
  it('sees answers that come later', () => {
    expect(networkEffect('a', samples([3, 4, 5]), samples([103, 104, 109]))).toBe(
      'a answers after 104 ms instead of 4 ms',
    )
  })
  it('sees answers that do not come', () => {
    expect(networkEffect('a', samples([3, 4, 5, 4]), samples([4, null, 4, 4]))).toBe(
      'a leaves 25 % of requests without an answer',
    )
  })
  it('does not take noise for an effect', () => {
    expect(networkEffect('a', samples([3, 4, 5]), samples([4, 5, 5]))).toBeNull()
  })
  it('knows nothing without samples of both', () => {
    expect(networkEffect('a', [], samples([100]))).toBeNull()
    expect(networkEffect('a', samples([1]), [])).toBeNull()
  })
})
