import fc from 'fast-check'
import { deployment, pod, TestCluster } from '../engine-fixture.spec.js'
import { type Pod, type Taint } from '../controllers/objects.js'

const nodesOf = (pods: readonly Pod[]): Set<string> => new Set(pods.map(({ spec }) => spec.nodeName ?? ''))
const HOST = 'kubernetes.io/hostname'
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'
const TAIL = 'no new claims to deallocate, preemption: 0/3 nodes are available:'

const term = (app: string) => ({ topologyKey: HOST, labelSelector: { matchLabels: { app } } })

function setNode(cluster: TestCluster, name: string, change: { taints?: Taint[]; labels?: Record<string, string> }) {
  const node = cluster.store.get('nodes', null, name)
  if (!node) throw new Error(`no node ${name}`)
  const labels = { ...node.metadata.labels, ...change.labels }
  const spec = { ...(node.spec as object), ...(change.taints ? { taints: change.taints } : {}) }
  cluster.store.update('nodes', { ...node, metadata: { ...node.metadata, labels }, spec })
}

describe('where pods are placed', () => {
  it('together by required affinity, the first wherever it fits', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('a', { replicas: 5, podSpec: { affinity: { podAffinity: { [REQUIRED]: [term('a')] } } } }))
    cluster.run(5)
    expect(nodesOf(cluster.pods('a')).size).toBe(1)
  })

  it('nowhere, when the pods that it must be with are not there, until they are', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('a', { podSpec: { affinity: { podAffinity: { [REQUIRED]: [term('b')] } } } }))
    cluster.run(2)
    expect(cluster.events('a')).toEqual([
      `FailedScheduling: 0/3 nodes are available: 3 node(s) didn't match pod affinity rules. ${TAIL} ` +
        '3 Preemption is not helpful for scheduling.',
    ])
    cluster.apply(pod('b'))
    cluster.run(5)
    expect(cluster.pod('a').spec.nodeName).toBe(cluster.pod('b').spec.nodeName)
  })

  it('apart by required anti-affinity, and one too many waits', () => {
    const cluster = new TestCluster()
    const podSpec = { affinity: { podAntiAffinity: { [REQUIRED]: [term('a')] } } }
    cluster.apply(deployment('a', { replicas: 4, podSpec }))
    cluster.run(5)
    const waiting = cluster.pods('a').filter(({ spec }) => spec.nodeName === undefined)
    expect([nodesOf(cluster.pods('a')).size, waiting.length]).toEqual([4, 1])
    expect(cluster.events(waiting[0]?.metadata.name ?? '')[0]).toBe(
      `FailedScheduling: 0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules. ${TAIL} ` +
        '3 No preemption victims found for incoming pod.',
    )
  })

  it('away from pods that keep it away', () => {
    const cluster = new TestCluster()
    const podSpec = { affinity: { podAntiAffinity: { [REQUIRED]: [term('b')] } } }
    cluster.apply(deployment('a', { replicas: 3, podSpec }))
    cluster.run(5)
    cluster.apply(pod('b'))
    cluster.run(2)
    expect(cluster.events('b')[0]).toContain("3 node(s) didn't satisfy existing pods anti-affinity rules")
  })

  it('in another namespace only where a term names it', () => {
    const cluster = new TestCluster()
    cluster.apply({ ...pod('b'), metadata: { name: 'b', namespace: 'probe', labels: { app: 'b' } } })
    cluster.run(3)
    const terms = { ...term('b'), namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'probe' } } }
    cluster.apply(pod('near', { podSpec: { affinity: { podAffinity: { [REQUIRED]: [terms] } } } }))
    cluster.apply(pod('far', { podSpec: { affinity: { podAffinity: { [REQUIRED]: [term('b')] } } } }))
    cluster.run(3)
    const b = cluster.store.get<Pod>('pods', 'probe', 'b')
    expect([cluster.pod('near').spec.nodeName, cluster.pod('far').spec.nodeName]).toEqual([b?.spec.nodeName, undefined])
  })

  it('where preferences pull them', () => {
    const cluster = new TestCluster()
    setNode(cluster, 'node-2', { labels: { disk: 'ssd' } })
    const preference = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }
    const podSpec = { affinity: { nodeAffinity: { [PREFERRED]: [{ weight: 100, preference }] } } }
    cluster.apply(pod('a', { podSpec }))
    cluster.run(2)
    const together = { affinity: { podAffinity: { [PREFERRED]: [{ weight: 100, podAffinityTerm: term('a') }] } } }
    cluster.apply(pod('b', { podSpec: together }))
    cluster.run(2)
    const apart = { affinity: { podAntiAffinity: { [PREFERRED]: [{ weight: 100, podAffinityTerm: term('a') }] } } }
    cluster.apply(pod('c', { podSpec: apart }))
    cluster.run(2)
    const [a, b, c] = ['a', 'b', 'c'].map((name) => cluster.pod(name).spec.nodeName)
    expect([a, b]).toEqual(['node-2', 'node-2'])
    expect(c).not.toBe('node-2')
  })

  it('by required node affinity', () => {
    const cluster = new TestCluster()
    const expression = { key: 'topology.kubernetes.io/zone', operator: 'NotIn', values: ['zone-1', 'zone-2'] }
    const nodeSelectorTerms = [{ matchExpressions: [expression] }]
    const podSpec = { affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms } } } }
    cluster.apply(deployment('a', { replicas: 3, podSpec }))
    cluster.run(3)
    expect(nodesOf(cluster.pods('a'))).toEqual(new Set(['node-3']))
  })

  it('not on tainted nodes, unless they tolerate that', () => {
    const cluster = new TestCluster()
    const taint = { key: 'dedicated', value: 'db', effect: 'NoSchedule' }
    for (const name of ['node-1', 'node-2', 'node-3']) setNode(cluster, name, { taints: [taint] })
    cluster.apply(pod('a'))
    const tolerations = [{ key: 'dedicated', operator: 'Equal', value: 'db', effect: 'NoSchedule' }]
    cluster.apply(pod('b', { podSpec: { tolerations } }))
    cluster.run(3)
    expect(cluster.events('a')[0]).toContain('0/3 nodes are available: 3 node(s) had untolerated taint(s).')
    expect(cluster.pod('b').spec.nodeName).toBeDefined()
  })

  it('off a node that no longer tolerates them, at once or after the time that they tolerate', () => {
    const cluster = new TestCluster()
    const toleration = { key: 'broken', operator: 'Exists', effect: 'NoExecute' }
    const nodeSelector = { 'kubernetes.io/hostname': 'node-1' }
    cluster.apply(pod('a', { podSpec: { nodeSelector } }))
    cluster.apply(pod('b', { podSpec: { nodeSelector, tolerations: [{ ...toleration, tolerationSeconds: 60 }] } }))
    cluster.apply(pod('c', { podSpec: { nodeSelector, tolerations: [toleration] } }))
    cluster.run(5)
    const timeAdded = new Date(cluster.kernel.now).toISOString()
    setNode(cluster, 'node-1', { taints: [{ key: 'broken', effect: 'NoExecute', timeAdded }] })
    cluster.run(40)
    expect(cluster.pods().map(({ metadata }) => metadata.name)).toEqual(['b', 'c'])
    cluster.run(60)
    expect(cluster.pods().map(({ metadata }) => metadata.name)).toEqual(['c'])
    expect(cluster.events('a').join('\n')).toContain('TaintManagerEviction: Marking for deletion Pod app/a')
  })

  it('one to a node for a port of the node', () => {
    const cluster = new TestCluster()
    const container = { ports: [{ containerPort: 8080, hostPort: 80 }] }
    cluster.apply(deployment('a', { replicas: 4, container }))
    cluster.run(3)
    const waiting = cluster.pods('a').find(({ spec }) => spec.nodeName === undefined)
    expect(cluster.events(waiting?.metadata.name ?? '')[0]).toContain("3 node(s) didn't have free ports")
  })

  it('over others of less priority, which go for it', () => {
    const cluster = new TestCluster()
    const priority = (name: string, value: number) =>
      cluster.apply({
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name, namespace: undefined },
        value,
      })
    priority('low', -1)
    priority('high', 1000)
    const container = { resources: { requests: { cpu: '3' } } }
    cluster.apply(deployment('low', { replicas: 3, container, podSpec: { priorityClassName: 'low' } }))
    cluster.run(5)
    cluster.apply(pod('high', { container, podSpec: { priorityClassName: 'high' } }))
    cluster.runUntilTrue(() => cluster.pod('high').spec.nodeName !== undefined, 60)
    expect(cluster.pod('high').spec.priority).toBe(1000)
    const waiting = cluster.pods('low').filter(({ spec }) => spec.nodeName === undefined)
    expect(waiting).toHaveLength(1)
    const preempted = cluster.store.list('events').filter(({ reason }) => reason === 'Preempted')
    expect(preempted).toHaveLength(1)
  })

  it('keeps every hard rule whatever is asked for, and the same for the same seed', () => {
    const wish = fc.record({
      replicas: fc.integer({ min: 1, max: 5 }),
      rule: fc.constantFrom('together', 'apart', 'spread', 'none'),
      cpu: fc.constantFrom('100m', '1', '3'),
    })
    const rules = {
      together: { affinity: { podAffinity: { [REQUIRED]: [term('a')] } } },
      apart: { affinity: { podAntiAffinity: { [REQUIRED]: [term('a')] } } },
      spread: {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: HOST,
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'a' } },
          },
        ],
      },
      none: {},
    } as const
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), wish, (seed, { replicas, rule, cpu }) => {
        const place = () => {
          const cluster = new TestCluster(seed)
          const container = { resources: { requests: { cpu } } }
          cluster.apply(deployment('a', { replicas, container, podSpec: rules[rule] }))
          cluster.run(10)
          return cluster.pods('a').flatMap(({ spec }) => spec.nodeName ?? [])
        }
        const placed = place()
        const counts = ['node-1', 'node-2', 'node-3'].map((node) => placed.filter((one) => one === node).length)
        expect(Math.max(...counts) * ({ '100m': 0.1, '1': 1, '3': 3 }[cpu] ?? 0)).toBeLessThanOrEqual(4)
        if (rule === 'together') expect(new Set(placed).size).toBe(1)
        if (rule === 'apart') expect(new Set(placed).size).toBe(placed.length)
        if (rule === 'spread') expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
        expect(place()).toEqual(placed)
      }),
      { numRuns: 25 },
    )
  })
})
