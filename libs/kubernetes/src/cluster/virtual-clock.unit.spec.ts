import { AbortedError, DeadlineError } from '@ordeal/shared'
import { type Api } from './api.js'
import { RefusedError } from './errors.js'
import { type ApiRequest } from './transport.js'
import { createVirtualClock } from './virtual-clock.js'

/** A server whose watched collections change at the given instants. */
function fakeServer(changes: number[] = []) {
  let now = 1000
  const requests: ApiRequest[] = []
  const answer = (request: ApiRequest) => {
    requests.push(request)
    if (request.method === 'GET') return { now }
    const { until, wakeOn } = request.body as { until: number; wakeOn: string[] }
    const change = wakeOn.length ? changes.find((at) => at > now && at <= until) : undefined
    now = change ?? until
    return { now, woken: change !== undefined }
  }
  const api = { json: (request: ApiRequest) => Promise.resolve(answer(request)) } as unknown as Api
  return { api, requests, at: () => now }
}
const signal = new AbortController().signal

describe('createVirtualClock', () => {
  it('moves time only as far as it is told to', async () => {
    const server = fakeServer()
    await createVirtualClock(server.api).waitUntil(5000, signal)
    expect(server.at()).toBe(5000)
  })
  it('does not go back', async () => {
    const server = fakeServer()
    await createVirtualClock(server.api).waitUntil(500, signal)
    expect(server.at()).toBe(1000)
  })
  it('looks before time moves', async () => {
    const server = fakeServer()
    const wait = { what: 'it', withinMs: 100, watch: ['/api/v1/pods'], check: () => Promise.resolve('there') }
    expect(await createVirtualClock(server.api).waitFor(wait, signal)).toBe('there')
    expect(server.at()).toBe(1000)
  })
  it('looks again at each change, and stops at the one that fits', async () => {
    const server = fakeServer([1100, 1200, 1300])
    const check = () => Promise.resolve(server.at() >= 1200 ? server.at() : undefined)
    const wait = { what: 'it', withinMs: 5000, watch: ['/api/v1/pods'], check }
    expect(await createVirtualClock(server.api).waitFor(wait, signal)).toBe(1200)
  })
  it('looks a last time at the deadline, and says what did not come', async () => {
    const server = fakeServer()
    const looks: number[] = []
    const check = () => Promise.resolve(void looks.push(server.at()))
    const wait = { what: 'a miracle', withinMs: 2500, watch: [], everyMs: 1000, check }
    const outcome = createVirtualClock(server.api).waitFor(wait, signal)
    await expect(outcome).rejects.toThrow(new DeadlineError('a miracle', 2500))
    expect(looks).toEqual([1000, 2000, 3000, 3500])
  })
  it('ends with the reason of the abort', async () => {
    const controller = new AbortController()
    const server = fakeServer([1100])
    const check = () => {
      controller.abort(new AbortedError('cancelled'))
      return Promise.resolve(undefined)
    }
    const wait = { what: 'it', withinMs: 5000, watch: ['/api/v1/pods'], check }
    const outcome = createVirtualClock(server.api).waitFor(wait, controller.signal)
    await expect(outcome).rejects.toMatchObject({ code: 'aborted-cancelled' })
  })
  it('takes a server that does not know the cluster for the end of the cluster', async () => {
    const api = { json: () => Promise.reject(new RefusedError(404, 'NotFound', 'no cluster')) } as unknown as Api
    await expect(createVirtualClock(api).now()).rejects.toMatchObject({ code: 'cluster-lost' })
  })
})
