import { type Run } from '@ordeal/shared'
import { callingApp, deployment, hypothesisFor } from '../testing/applications.js'
import { startEmbeddedCycle, type EmbeddedCycle } from '../testing/embedded-cycle.js'

const app = callingApp('front', 'back')
const FAULT_MS = 20_000
const peer = { component: 'Deployment/back', selector: { app: 'back' } }
const http = { side: 'request' as const, port: 8080 }
const answer = { side: 'response' as const, port: 8080 }
const network = <A extends string, P>(action: A, parameters: P) => ({
  kind: 'NetworkChaos' as const,
  action,
  parameters,
})

describe('evidence on the embedded cluster', () => {
  const open: EmbeddedCycle[] = []
  const start = async (): Promise<EmbeddedCycle> => {
    const cycle = await startEmbeddedCycle(app)
    open.push(cycle)
    await cycle.measure()
    return cycle
  }
  const hypothesisWith = (fault: object) => hypothesisFor(app, { durationMs: FAULT_MS, ...fault })
  const runOf = async (fault: object): Promise<Run> => (await start()).run(hypothesisWith(fault))
  afterEach(async () => {
    for (const cycle of open.splice(0)) await cycle.close()
  })

  it.each<[object, RegExp]>([
    [network('partition', {}), /leaves \d\d % of requests/],
    [network('partition', { direction: 'both' }), /leaves \d\d % of requests/],
    [network('partition', { direction: 'from', peer }), /leaves \d\d % of requests/],
    [network('partition', { externalTargets: ['198.51.100.7'] }), /leaves \d\d % of requests/],
    [network('loss', { lossPercent: 50 }), /leaves \d\d % of requests/],
    [network('loss', { lossPercent: 50, direction: 'both', peer }), /leaves \d\d % of requests/],
    [network('corrupt', { corruptPercent: 50 }), /leaves \d\d % of requests/],
    [network('netem', { delay: { latencyMs: 40 }, loss: { lossPercent: 1 } }), /answers after \d\d+ ms/],
    [{ kind: 'HTTPChaos', action: 'abort', parameters: http }, /leaves (99|100) % of requests/],
    [{ kind: 'HTTPChaos', action: 'delay', parameters: { ...http, delayMs: 100 } }, /answers after 1\d\d ms/],
    [
      { kind: 'HTTPChaos', action: 'replace', parameters: { ...answer, replace: { code: 503 } } },
      /with 503 instead of 200/,
    ],
    [
      { kind: 'StressChaos', action: 'cpu', parameters: { cpu: { workers: 1 } } },
      /uses 10\d\d millicores instead of \d\d? /,
    ],
    [
      { kind: 'StressChaos', action: 'memory', parameters: { memory: { workers: 1, size: '100MB' } } },
      /uses 10\d MiB instead of \d\d? MiB/,
    ],
    [{ kind: 'DNSChaos', action: 'error', parameters: { patterns: ['back*'] } }, /with 502 instead of 200/],
  ])('has both halves of %j', async (fault, effect) => {
    const { problem, injections } = await runOf(fault)
    expect(problem).toBeNull()
    expect(injections).toMatchObject([
      {
        targets: [expect.stringMatching(/^front-/)],
        evidence: { record: expect.stringContaining('front-'), effect: expect.stringMatching(effect) },
      },
    ])
  })

  it.each([
    [network('duplicate', { duplicatePercent: 50 }), 'silent-injection', /nothing shows at front-/],
    [{ kind: 'DNSChaos', action: 'error', parameters: { patterns: ['other*'] } }, 'silent-injection', /nothing shows/],
    [
      network('partition', { direction: 'both', peer: { component: 'Deployment/none', selector: { app: 'none' } } }),
      ...(['no-targets', /no running pod of its peer/] as const),
    ],
    [{ kind: 'TimeChaos', action: 'offset', parameters: { offsetMs: 5000 } }, 'refused', /has no TimeChaos/],
    [
      { kind: 'IOChaos', action: 'fault', parameters: { volumePath: '/data', errno: 5 } },
      ...(['refused', /has no IOChaos/] as const),
    ],
  ])('takes %j for no test', async (fault, reason, words) => {
    expect((await runOf(fault)).problem).toMatchObject({ reason, message: expect.stringMatching(words) })
  })

  it('makes a silent fault stronger, step by step, and tests each later revision at the step that showed', async () => {
    const ladder = [{ latencyMs: 0.5 }, { latencyMs: 200 }, { latencyMs: 500 }]
    const hypothesis = hypothesisWith({ ...network('delay', { latencyMs: 0 }), stronger: ladder })
    const cycle = await start()
    const first = await cycle.run(hypothesis)
    expect(first.problem).toBeNull()
    expect(first.intensity).toEqual({ step: 2, of: 4 })
    expect(first.injections[0]?.evidence.effect).toMatch(/answers after 8\d\d ms/)
    expect(cycle.notes.filter((note) => note.includes('nothing showed'))).toHaveLength(2)
    await cycle.putRevision(1, [deployment('front', 2), ...app.objects.slice(1)])
    const second = await cycle.run(hypothesis, 1)
    expect(second.intensity).toEqual({ step: 2, of: 4 })
    expect(second.hypothesisHash).toBe(first.hypothesisHash)
  })

  it('gives a fault up for silent at the top of its ladder', async () => {
    const run = await runOf({ ...network('delay', { latencyMs: 0 }), stronger: [{ latencyMs: 0.1 }] })
    expect(run).toMatchObject({ problem: { reason: 'silent-injection' }, intensity: { step: 1, of: 2 } })
  })

  it('notices a target that is replaced while the fault runs', async () => {
    const cycle = await start()
    const context = cycle.context(0, 'run')
    const { objects } = await cycle.look()
    const progress: typeof context.progress = (note) => {
      context.progress(note)
      const [target] = (note.data as { targets?: string[] } | undefined)?.targets ?? []
      if (note.kind !== 'fault' || !note.message.includes(' hits ') || !target) return
      const metadata = { name: target, namespace: cycle.namespace }
      removed = objects.remove({ apiVersion: 'v1', kind: 'Pod', metadata }, { graceSeconds: 0 })
    }
    let removed: Promise<boolean> = Promise.resolve(false)
    const { injections } = await cycle.run(hypothesisWith(network('delay', { latencyMs: 200 })), 0, {
      ...context,
      progress,
    })
    expect(await removed).toBe(true)
    expect(injections[0]?.replaced).toEqual([
      { pod: injections[0]?.targets[0], what: 'it is gone, and what came in its place was not hit' },
    ])
  })
})
