import { type Pod } from '@ordeal/kubernetes'
import { podEffect, wasReplaced, wasRestarted } from './pod-effect.js'

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

describe('wasReplaced and wasRestarted', () => {
  it.each<[string, Pod | null, boolean, boolean]>([
    ['nothing changed', pod(), false, false],
    ['the pod is gone', null, true, false],
    ['another pod has its name', pod({ uid: 'u2', restarts: 1 }), true, false],
    ['a container restarted', pod({ restarts: 1 }), false, true],
  ])('when %s', (_, now, replaced, restarted) => {
    expect([wasReplaced(pod(), now), wasRestarted(pod(), now)]).toEqual([replaced, restarted])
  })
})
