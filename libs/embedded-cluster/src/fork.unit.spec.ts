import { type Engine } from './engine.js'
import {
  deployment,
  httpProbe,
  liveness,
  networkChaos,
  podChaos,
  readiness,
  service,
  TestCluster,
} from './engine-fixture.spec.js'
import { type Change, type K8sObject, type StoredObject } from './store/object.js'
import { RESOURCES } from './schema/resources.js'
import { findUnforkable } from './kernel/unforkable.spec.js'

const probes = { container: { ...readiness, ...liveness } }
const chain = [
  deployment('web', { replicas: 2, env: { CALLS: 'http://api/', WORK: '5ms' }, ...probes }),
  deployment('api', { replicas: 2, env: { CALLS: 'http://store/', WORK: '3ms' }, ...probes }),
  deployment('store', { replicas: 1, ...probes }),
]
const probe = httpProbe('front', 'http://web.app/', 20)

/** An application under traffic, `seconds` after its start. */
function running(seconds: number, more: readonly K8sObject[] = []): TestCluster {
  const cluster = new TestCluster()
  for (const object of chain) {
    cluster.apply(object)
    cluster.apply(service(object.metadata.name ?? ''))
  }
  cluster.startProber([probe])
  cluster.runUntil(seconds)
  for (const object of more) cluster.apply(object)
  return cluster
}

/** Everything that can be seen of what happens from now on for so many seconds. */
function trace(engine: Engine, seconds: number): string {
  const changes: string[] = []
  for (const { key } of RESOURCES) {
    engine.store.observe(key, ({ type, object }: Change) => {
      changes.push(JSON.stringify([engine.kernel.now, key, type, object]))
    })
  }
  engine.kernel.runUntil(engine.kernel.now + seconds * 1000)
  const samples = engine.logs({ namespace: 'probe', pod: 'prober', container: null, previous: false })
  return [...changes, ...samples.map(({ at, text }) => `${at} ${text}`), ...engine.assumptions].join('\n')
}

/** Another image for the web servers, so that they roll over. */
function rollOut(store: Engine['store']): void {
  const web = store.get<StoredObject & { spec: { template: { metadata: object } } }>('deployments.apps', 'app', 'web')
  if (!web) throw new Error('no web')
  const { spec } = web
  const metadata = { ...spec.template.metadata, annotations: { version: '2' } }
  store.update('deployments.apps', { ...web, spec: { ...spec, template: { ...spec.template, metadata } } })
}

const volumes: readonly K8sObject[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: {
      serviceName: 'db',
      replicas: 2,
      selector: { matchLabels: { app: 'db' } },
      template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'db', image: 'postgres:17' }] } },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  },
]

const jobs: readonly K8sObject[] = [
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tidy' },
    spec: {
      schedule: '* * * * *',
      jobTemplate: {
        spec: {
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [{ name: 'tidy', image: 'busybox', command: ['sh', '-c', 'sleep 5; exit 1'] }],
            },
          },
        },
      },
    },
  },
]

/** Moments in which different parts of the engine hold something that waits. */
const moments: Record<string, () => TestCluster> = {
  'right after the start': () => running(0),
  'while pods start': () => running(1.2),
  'with requests in flight and probes running': () => running(40.006),
  'in the middle of a rollout': () => {
    const cluster = running(40)
    rollOut(cluster.store)
    cluster.run(6.5)
    return cluster
  },
  'in a crash loop': () => {
    const broken = deployment('broken', { env: { WORKERS: 'many' }, container: {} })
    const cluster = running(40, [broken])
    cluster.run(47)
    return cluster
  },
  'while packets are lost, late and sent again': () => {
    const delay = { action: 'delay', delay: { latency: '150ms', jitter: '80ms', correlation: '40' } }
    const loss = { action: 'loss', loss: { loss: '40', correlation: '25' } }
    const api = { selector: { namespaces: ['app'], labelSelectors: { app: 'api' } } }
    const cluster = running(40, [
      networkChaos('slow', { ...delay, duration: '30s' }),
      networkChaos('lossy', { ...loss, ...api, duration: '20s' }),
    ])
    cluster.run(10.3)
    return cluster
  },
  'while pods fail, are killed and terminate': () => {
    const cluster = running(40, [
      podChaos('fail', { action: 'pod-failure', mode: 'one', duration: '20s' }),
      podChaos('kill', {
        action: 'pod-kill',
        gracePeriod: 20,
        selector: { namespaces: ['app'], labelSelectors: { app: 'api' } },
      }),
    ])
    cluster.run(3)
    return cluster
  },
  'with volumes on their way and jobs that fail': () => {
    const cluster = running(40, [...volumes, ...jobs])
    cluster.run(81)
    return cluster
  },
  'while a namespace is deleted': () => {
    const cluster = running(40)
    cluster.store.remove('namespaces', null, 'app')
    cluster.run(2)
    return cluster
  },
}

describe.each(Object.entries(moments))('a fork, %s,', (_, moment) => {
  it('has the same history as its origin, and neither changes the other', () => {
    const origin = moment().engine
    const untouched = moment().engine
    const fork = origin.fork()
    const forkOfFork = fork.fork()
    const expected = trace(untouched, 100)
    expect(trace(fork, 100)).toBe(expected)
    expect(trace(origin, 100)).toBe(expected)
    expect(trace(forkOfFork, 100)).toBe(expected)
  })

  it('leaves nothing behind that cannot be copied', () => {
    expect(findUnforkable(moment().engine)).toEqual([])
  })
})

describe('a fork', () => {
  it('goes another way with another seed, the same way each time', () => {
    const { engine } = running(40)
    rollOut(engine.store)
    const [same, other, again] = [engine.fork(), engine.fork({ seed: 7 }), engine.fork({ seed: 7 })]
    const history = trace(other, 60)
    expect(trace(same, 60)).not.toBe(history)
    expect(trace(again, 60)).toBe(history)
  })

  it('can be changed without its origin', () => {
    const { engine } = running(40)
    const fork = engine.fork()
    fork.store.remove('deployments.apps', 'app', 'web')
    fork.kernel.runUntil(fork.kernel.now + 60_000)
    engine.kernel.runUntil(engine.kernel.now + 60_000)
    const webs = ({ store }: Engine) =>
      store.list('pods', 'app').filter(({ metadata }) => metadata.labels?.app === 'web')
    expect([webs(fork).length, webs(engine).length]).toEqual([0, 2])
  })

  it('leaves those who watch with its origin', () => {
    const { engine } = running(40)
    const seen: Change[] = []
    engine.store.observe('pods', (change) => seen.push(change))
    const fork = engine.fork()
    fork.store.remove('pods', 'app', fork.store.list('pods', 'app')[0]?.metadata.name ?? '')
    expect(seen).toEqual([])
  })

  it('is refused while events run', () => {
    const { engine } = running(1)
    engine.kernel.after(1, { run: () => engine.fork() }, 'run')
    expect(() => engine.kernel.runUntil(engine.kernel.now + 10)).toThrow('cannot be forked while its events run')
  })

  it('says what cannot be copied', () => {
    const { engine } = running(1)
    engine.kernel.after(5000, { run: () => undefined }, 'run')
    expect(findUnforkable(engine)).toEqual([
      expect.stringMatching(/^engine\.kernel\.heap\..*\.receiver\.run: a function$/),
    ])
    expect(() => engine.fork()).toThrow('a function cannot be forked: run')
  })
})
