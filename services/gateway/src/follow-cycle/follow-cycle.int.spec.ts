import { type ArtefactId, type EventDraft } from '@ordeal/shared'
import { type CycleView } from '../api/contract.js'
import { type SpecGateway, startSpecGateway } from '../testing/spec-gateway.js'

const FAILED: EventDraft = {
  type: 'phase.failed',
  revision: 0,
  data: { service: 's', phase: 'p', code: 'c', message: 'why' },
}
const FINISHED: EventDraft = {
  type: 'cycle.finished',
  revision: 0,
  data: { outcome: 'failed', results: `sha256:${'0'.repeat(64)}` as ArtefactId, problem: null },
}

describe('a followed cycle', () => {
  let gateway: SpecGateway
  beforeAll(async () => {
    gateway = await startSpecGateway()
  })
  afterAll(() => gateway.stop())

  /** Reads whole messages until `count` came, then cuts the connection; all of them when the stream ends before. */
  const read = async (cycle: CycleView, after: number, count: number): Promise<number[]> => {
    const cut = new AbortController()
    const headers = { 'last-event-id': String(after) }
    const response = await gateway.call('GET', `/v1/cycles/${cycle.id}/events`, { headers, signal: cut.signal })
    const ids: number[] = []
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      ids.push(...frames.flatMap((frame) => /^id: (\d+)$/m.exec(frame)?.[1] ?? []).map(Number))
      if (ids.length < count) continue
      cut.abort()
      break
    }
    return ids.slice(0, count)
  }

  it('loses and doubles nothing, however often its connection is cut while events come', async () => {
    const cycle = await gateway.start()
    const total = 42
    const publishing = (async () => {
      for (let i = 2; i < total; i++) await gateway.publish(cycle, FAILED)
      await gateway.publish(cycle, FINISHED)
    })()
    const seen: number[] = []
    while (seen.length < total) seen.push(...(await read(cycle, seen.at(-1) ?? 0, 1 + (seen.length % 5))))
    await publishing
    expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1))
  })

  it('goes on for many readers at once, each with all of it', async () => {
    const cycle = await gateway.start()
    const readers = Array.from({ length: 40 }, () => read(cycle, 0, Infinity))
    for (let i = 0; i < 10; i++) await gateway.publish(cycle, FAILED)
    await gateway.publish(cycle, FINISHED)
    const whole = Array.from({ length: 12 }, (_, index) => index + 1)
    for (const seen of await Promise.all(readers)) expect(seen).toEqual(whole)
  })

  it('refuses a Last-Event-ID that is none', async () => {
    const cycle = await gateway.start()
    const response = await gateway.call('GET', `/v1/cycles/${cycle.id}/events`, { headers: { 'last-event-id': 'x' } })
    expect(response.status).toBe(400)
  })
})
