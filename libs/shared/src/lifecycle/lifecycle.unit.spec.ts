import { silentLogger as log } from '../testing/memory-context.js'
import { Lifecycle, type LifecycleState } from './lifecycle.js'

const create = (drainMs = 1000): { lifecycle: Lifecycle; trail: string[] } => {
  const lifecycle = new Lifecycle({ log, drainMs })
  const trail: string[] = []
  lifecycle.onChange((state) => trail.push(state))
  return { lifecycle, trail }
}

describe('Lifecycle', () => {
  it('stops all at once, drains in order of joining, and closes in reverse', async () => {
    const { lifecycle, trail } = create()
    for (const name of ['store', 'runner', 'relay']) {
      lifecycle.join({
        name,
        stop: () => void trail.push(`stop ${name}`),
        drain: async () => {
          await Promise.resolve()
          trail.push(`drain ${name}`)
        },
        close: () => void trail.push(`close ${name}`),
      })
    }
    expect(lifecycle.state).toBe('RUNNING')
    await lifecycle.stop()
    expect(trail).toEqual([
      'STOPPING',
      'stop store',
      'stop runner',
      'stop relay',
      'DRAINING',
      'drain store',
      'drain runner',
      'drain relay',
      'close relay',
      'close runner',
      'close store',
      'CLOSED',
    ])
  })

  it('is in each state while its steps run', async () => {
    const { lifecycle } = create()
    const seen: LifecycleState[] = []
    const see = (): void => void seen.push(lifecycle.state)
    lifecycle.join({ name: 'x', stop: see, drain: see, close: see })
    await lifecycle.stop()
    expect([...seen, lifecycle.state]).toEqual(['STOPPING', 'DRAINING', 'DRAINING', 'CLOSED'])
  })

  it('goes down once, however often it is told', async () => {
    const { lifecycle, trail } = create()
    lifecycle.join({ name: 'x', close: () => void trail.push('close') })
    await Promise.all([lifecycle.stop(), lifecycle.stop()])
    await lifecycle.stop()
    expect(trail).toEqual(['STOPPING', 'DRAINING', 'close', 'CLOSED'])
  })

  it('keeps going when a part fails in any of its steps', async () => {
    const { lifecycle, trail } = create()
    const fail = (): never => {
      throw new Error('no')
    }
    lifecycle.join({ name: 'good', close: () => void trail.push('good closed') })
    lifecycle.join({ name: 'bad', stop: fail, drain: () => Promise.reject(new Error('no')), close: fail })
    await lifecycle.stop()
    expect(trail).toEqual(['STOPPING', 'DRAINING', 'good closed', 'CLOSED'])
  })

  it('gives draining up after its budget and closes all the same', async () => {
    const { lifecycle, trail } = create(10)
    lifecycle.join({ name: 'stuck', drain: () => new Promise(() => undefined), close: () => void trail.push('closed') })
    await lifecycle.stop()
    expect(trail).toEqual(['STOPPING', 'DRAINING', 'closed', 'CLOSED'])
  })
})
