import { createApi } from './api.js'
import { type ApiAnswer, type Transport } from './transport.js'

const status = (code: number, reason: string, message: string): ApiAnswer => ({
  status: code,
  text: JSON.stringify({ reason, message }),
})
const answers = (...list: (ApiAnswer | Error)[]): Transport => {
  return () => {
    const next = list.shift() ?? new Error('asked once too often')
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next)
  }
}
const get = { method: 'GET' as const, path: '/x' }

describe('createApi', () => {
  it('gives the body of an answer', async () => {
    expect(await createApi(answers({ status: 200, text: '{"a":1}' }), []).json(get)).toEqual({ a: 1 })
  })
  it('throws a refusal with the words of the server, and does not ask again', async () => {
    const api = createApi(answers(status(422, 'Invalid', 'spec.replicas: too many')), [1])
    await expect(api.json(get)).rejects.toMatchObject({
      code: 'refused-by-cluster',
      status: 422,
      reason: 'Invalid',
      message: 'spec.replicas: too many',
    })
  })
  it('asks again while the server is overloaded or does not answer', async () => {
    const list = [status(429, 'TooManyRequests', 'later'), new Error('ECONNRESET'), { status: 200, text: '1' }]
    expect(await createApi(answers(...list), [1, 1]).json(get)).toBe(1)
  })
  it('takes a server that stays away for lost, and says why', async () => {
    const api = createApi(answers(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })), [])
    await expect(api.json(get)).rejects.toMatchObject({
      code: 'cluster-lost',

      message: expect.stringContaining('ECONNREFUSED'),
    })
  })
})
