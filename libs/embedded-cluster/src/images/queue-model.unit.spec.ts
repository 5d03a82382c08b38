import { createEngine } from '../engine.js'
import { pod, service } from '../engine-fixture.spec.js'
import { type RandomStream } from '../kernel/random.js'
import { withDefaults } from '../schema/defaults.js'
import { type K8sObject } from '../store/object.js'
import { type Caller } from '../traffic/call.js'
import { type Network } from '../traffic/network.js'
import { type Peer } from '../traffic/peer.js'
import { type HttpServer } from './http-server.js'

/** Packets of a call without faults: three before the request is there, one back. */
const NETWORK_MS = 0.8
const WORK_MS = 10
const REQUESTS = 60_000
/** Answers while the queue fills are not counted. */
const WARM_UP = 2_000

/** What Erlang C says of a queue with Poisson arrivals, exponential service and c workers, each busy a share of time. */
function erlangC(c: number, share: number): { waiting: number; waitMs: number; queue: number } {
  const offered = c * share
  let blocking = 1
  for (let n = 1; n <= c; n++) blocking = (offered * blocking) / (n + offered * blocking)
  const waiting = blocking / (1 - share * (1 - blocking))
  return { waiting, waitMs: (waiting * WORK_MS) / (c * (1 - share)), queue: (waiting * share) / (1 - share) }
}

/** Sends requests at random times, and notes what each met and how long it took. */
class Visitors {
  readonly latencies: number[] = []
  readonly met: { busy: number; waiting: number }[] = []
  sent = 0

  constructor(
    private readonly world: {
      kernel: ReturnType<typeof createEngine>['kernel']
      network: Network
      random: RandomStream
    },
    private readonly from: Peer,
    private readonly server: HttpServer,
    private readonly gapMs: number,
  ) {}

  send(): void {
    const { kernel, network, random } = this.world
    if (this.sent++ >= REQUESTS) return
    this.met.push(this.server.load)
    const visit = new Visit(this, kernel.now)
    const to = { host: 'web.default', port: 80, path: '/' }
    network.get({ from: this.from, to, timeoutMs: 600_000 }, visit)
    kernel.after(random.exponential(this.gapMs), this, 'send')
  }

  left(sentAt: number): void {
    this.latencies.push(this.world.kernel.now - sentAt - NETWORK_MS)
  }
}

class Visit implements Caller {
  constructor(
    private readonly visitors: Visitors,
    private readonly sentAt: number,
  ) {}

  answered(status: number | null): void {
    expect(status).toBe(200)
    this.visitors.left(this.sentAt)
  }
}

interface Observed {
  readonly waitMs: Estimate
  readonly waiting: Estimate
  readonly busyShare: Estimate
  readonly queue: Estimate
}
interface Estimate {
  readonly mean: number
  /** Half of the interval in which the true mean is with 99.9 % of confidence, from the means of batches. */
  readonly error: number
}

function estimate(values: readonly number[]): Estimate {
  const batches = 30
  const size = Math.floor(values.length / batches)
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length
  const means = Array.from({ length: batches }, (_, i) => mean(values.slice(i * size, (i + 1) * size)))
  const all = mean(means)
  const variance = means.reduce((sum, one) => sum + (one - all) ** 2, 0) / (batches - 1)
  // Student's t with 29 degrees of freedom.
  return { mean: all, error: 3.66 * Math.sqrt(variance / batches) }
}

/** A pod of `workers` that Poisson arrivals keep busy for a share of time. */
function observe(workers: number, share: number, distribution: 'constant' | 'exponential', seed: number): Observed {
  const images = { 'shop:*': { work: `${WORK_MS}ms`, cpu: '0s', workers, distribution } }
  const engine = createEngine({ seed, startMs: 0, images })
  const { kernel, network, store } = engine
  const put = (resource: 'pods' | 'services', object: K8sObject) =>
    store.create(resource, withDefaults({ ...object, metadata: { ...object.metadata, namespace: 'default' } }))
  put('pods', pod('web', { image: 'shop:1', container: {} }))
  put('pods', pod('client', { container: {} }))
  put('services', service('web', { clusterIP: '10.96.0.9' }))
  kernel.runUntil(20_000)
  const peerOf = (name: string) => {
    const { podIP = '' } = store.get('pods', 'default', name)?.status as { podIP?: string }
    const peer = network.peer(podIP)
    if (!peer) throw new Error(`no peer ${name}`)
    return peer
  }
  const server = peerOf('web').server(8080) as HttpServer
  const random = kernel.stream('visitors')
  const visitors = new Visitors({ kernel, network, random }, peerOf('client'), server, WORK_MS / (workers * share))
  kernel.after(0, visitors, 'send')
  kernel.runUntil(kernel.now + (REQUESTS * WORK_MS * 2) / (workers * share))
  expect(visitors.latencies).toHaveLength(REQUESTS)
  const met = visitors.met.slice(WARM_UP)
  return {
    waitMs: estimate(visitors.latencies.slice(WARM_UP).map((latency) => latency - WORK_MS)),
    waiting: estimate(met.map(({ busy }) => (busy === workers ? 1 : 0))),
    busyShare: estimate(met.map(({ busy }) => busy / workers)),
    queue: estimate(met.map(({ waiting }) => waiting)),
  }
}

function expectWithin({ mean, error }: Estimate, expected: number): void {
  expect(Math.abs(mean - expected)).toBeLessThanOrEqual(error)
  // A bound that is too wide proves nothing.
  expect(error).toBeLessThan(0.35 * expected + 0.01)
}

describe('requests at the workers of a pod', () => {
  it.each([
    [1, 0.5],
    [1, 0.8],
    [4, 0.7],
    [8, 0.8],
  ])('wait as Erlang C says, %i at once, busy %f of the time', (workers, share) => {
    const { waitMs, waiting, busyShare, queue } = observe(workers, share, 'exponential', 1)
    const expected = erlangC(workers, share)
    expectWithin(waitMs, expected.waitMs)
    expectWithin(waiting, expected.waiting)
    expectWithin(busyShare, share)
    expectWithin(queue, expected.queue)
  })

  it('wait half as long for one worker whose work always takes the same time, as Pollaczek and Khinchine say', () => {
    const { waitMs, busyShare } = observe(1, 0.7, 'constant', 2)
    expectWithin(waitMs, erlangC(1, 0.7).waitMs / 2)
    expectWithin(busyShare, 0.7)
  })
})
