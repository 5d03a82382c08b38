import { type CycleEvent } from '@ordeal/gateway/contract'
import { followCycle } from './follow-cycle.js'
import { type ProgressView } from './progress-view.js'

const event = (sequence: number, type: CycleEvent['type'], data: Record<string, unknown> = {}): CycleEvent => ({
  sequence,
  type,
  occurredAt: '2026-01-01T00:00:00Z',
  revision: 0,
  data,
})

const desk = { see: () => {}, close: () => Promise.resolve() }

const recorder = (): ProgressView & { texts: string[] } => {
  const texts: string[] = []
  return { texts, show: (line) => void texts.push(line.text), hold: () => () => {}, close: () => {} }
}

describe('following a cycle', () => {
  it('shows its events and notes until it ends', async () => {
    const view = recorder()
    const client = {
      cancel: () => Promise.reject(new Error('not asked for')),
      async *events() {
        yield event(1, 'cycle.preprocessed')
        yield event(2, 'progress', {
          service: 'experiment',
          phase: 'run',
          kind: 'fault',
          message: 'pod-kill\u001b on web',
        })
        yield event(3, 'cycle.finished', { outcome: 'resilient', problem: null })
      },
    }
    const options = { deadlineMs: 1000, interrupt: new AbortController().signal, desk }
    await expect(followCycle(client, 'cyc', view, options)).resolves.toBe('finished')
    expect(view.texts).toEqual(['Manifests read', 'pod-kill on web', 'Cleaned up, verified'])
  })

  it('cancels once when interrupted and waits for the end', async () => {
    const interrupt = new AbortController()
    const cancelled = Promise.withResolvers<void>()
    let asked = 0
    const client = {
      cancel: () => {
        asked += 1
        cancelled.resolve()
        return Promise.resolve({} as never)
      },
      async *events() {
        yield event(1, 'cycle.preprocessed')
        interrupt.abort()
        await cancelled.promise
        yield event(2, 'cycle.finished', { outcome: 'cancelled', problem: null })
      },
    }
    const view = recorder()
    await expect(
      followCycle(client, 'cyc', view, { deadlineMs: 1000, interrupt: interrupt.signal, desk }),
    ).resolves.toBe('finished')
    expect(asked).toBe(1)
    expect(view.texts.join()).toContain('cancelling')
  })

  it('throws what the gateway refuses', async () => {
    const client = {
      cancel: () => Promise.resolve({} as never),
      async *events(): AsyncGenerator<CycleEvent> {
        await Promise.reject(new Error('gone'))
        yield event(1, 'progress')
      },
    }
    const options = { deadlineMs: 1000, interrupt: new AbortController().signal, desk }
    await expect(followCycle(client, 'cyc', recorder(), options)).rejects.toThrow('gone')
  })
})
