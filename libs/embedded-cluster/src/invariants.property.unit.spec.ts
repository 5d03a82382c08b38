import * as fc from 'fast-check'
import { evictPod } from './api/evict-pod.js'
import {
  type Endpoint,
  type EndpointSlice,
  isReady,
  type Pod,
  type PodDisruptionBudget,
} from './controllers/objects.js'
import { deployment, service, START_MS, template, TestCluster } from './engine-fixture.spec.js'
import { definitionOf } from './schema/resources.js'
import { ApiError } from './store/api-error.js'

type Amount = number | string

const isHealthy = (pod: Pod): boolean => isReady(pod) && pod.metadata.deletionTimestamp === undefined

/** What holds at every change of a pod or of endpoints, whatever is done to the cluster. Throws where it does not. */
class Invariants {
  private readonly nodes = new Map<string, string>()
  /** How many changes were looked at. */
  checked = 0

  constructor(private readonly cluster: TestCluster) {
    const { store } = cluster
    store.observe('pods', ({ type, object }) => this.podChanged(object as Pod, type === 'DELETED'))
    store.observe('endpointslices.discovery.k8s.io', ({ type, object }) => {
      if (type !== 'DELETED') this.endpointsChanged(object as EndpointSlice)
    })
  }

  /** A pod stays on the node on which it was placed, has an address there, and shares it with no other. */
  private podChanged({ metadata, spec, status }: Pod, gone: boolean): void {
    this.checked++
    const placed = this.nodes.get(metadata.uid)
    if (placed !== undefined) expect(spec.nodeName).toBe(placed)
    else if (spec.nodeName) this.nodes.set(metadata.uid, spec.nodeName)
    if (gone || status?.podIP === undefined) return
    const index = this.cluster.store.list('nodes').findIndex((node) => node.metadata.name === spec.nodeName)
    expect(status.podIP.startsWith(`10.244.${index}.`)).toBe(true)
    const same = this.cluster.pods().filter((other) => other.status?.podIP === status.podIP && !hasEnded(other))
    expect(same.length).toBeLessThanOrEqual(1)
  }

  /** No endpoint is called ready whose pod is not, or is on its way out. */
  private endpointsChanged({ endpoints }: EndpointSlice): void {
    this.checked++
    for (const endpoint of endpoints) if (endpoint.conditions.ready) this.readyEndpoint(endpoint)
  }

  private readyEndpoint({ targetRef, addresses }: Endpoint): void {
    if (!targetRef) throw new Error('an endpoint of nobody')
    const pod = this.cluster.store.get<Pod>('pods', targetRef.namespace, targetRef.name)
    if (!pod) throw new Error(`the endpoint of a pod that is gone: ${targetRef.name}`)
    expect([isHealthy(pod), pod.metadata.uid, pod.status?.podIP]).toEqual([true, targetRef.uid, addresses[0]])
  }
}

const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded'

type Probed = Record<'readinessProbe', object>
const slow = (seconds: number): Probed => ({
  readinessProbe: { httpGet: { path: '/healthz', port: 8080 }, initialDelaySeconds: seconds, periodSeconds: 1 },
})
const never: Probed = { readinessProbe: { httpGet: { path: '/healthz', port: 1 }, periodSeconds: 1 } }

function change(cluster: TestCluster, change: object): void {
  const current = cluster.store.get('deployments.apps', 'app', 'web')
  if (!current) throw new Error('no Deployment')
  cluster.store.update('deployments.apps', { ...current, spec: { ...(current.spec as object), ...change } })
}

/** As Kubernetes rounds: what may be missing down. */
const absent = (amount: Amount, replicas: number): number =>
  typeof amount === 'number' ? amount : Math.floor((Number.parseInt(amount, 10) * replicas) / 100)

const amount = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('0%', '25%', '50%', '100%'))
const rollOut = fc.record({
  wait: fc.integer({ min: 0, max: 40 }),
  readyAfter: fc.integer({ min: 0, max: 8 }),
  isBroken: fc.boolean(),
  more: fc.nat(2),
})
const rollingUpdate = fc.record({
  replicas: fc.integer({ min: 1, max: 5 }),
  maxUnavailable: amount,
  maxSurge: amount,
  minReadySeconds: fc.nat(5),
  rollOuts: fc.array(rollOut, { minLength: 1, maxLength: 5 }),
})

describe('a roll-out', () => {
  it('never leaves fewer pods available than replicas − maxUnavailable, whatever comes on top of it', () => {
    let checked = 0
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), rollingUpdate, (seed, plan) => {
        const { replicas, maxUnavailable, maxSurge, minReadySeconds, rollOuts } = plan
        // The API refuses a roll-out that may neither surge nor lose a pod; of percentages both may round to nothing.
        fc.pre(Number.parseInt(String(maxSurge), 10) > 0 || Number.parseInt(String(maxUnavailable), 10) > 0)
        const cluster = new TestCluster(seed)
        new Invariants(cluster)
        const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } }
        cluster.apply(deployment('web', { replicas, spec: { strategy, minReadySeconds } }))
        // Of pods that are ready, a set gives up first those that share a node, and only then those that are ready for a
        // shorter time, as upstream: a roll-out on top of another may take one that is available for one that is not yet.
        const least = rollOuts.length > 1 ? 0 : minReadySeconds
        const serving = (seconds: number) =>
          cluster.pods('web').filter((pod) => servesFor(pod, cluster, seconds)).length
        cluster.runUntilTrue(() => serving(minReadySeconds) === replicas)
        // Where both round down to nothing, one may be missing after all.
        const floor = replicas - Math.max(absent(maxUnavailable, replicas), isStuck(plan) ? 1 : 0)
        cluster.store.observe('pods', () => {
          checked++
          expect(serving(least)).toBeGreaterThanOrEqual(floor)
        })
        let size = replicas
        rollOuts.forEach(({ wait, readyAfter, isBroken, more }, index) => {
          const container = isBroken ? never : slow(readyAfter)
          change(cluster, {
            replicas: (size += more),
            template: template('web', { container, env: { ROUND: String(index) } }),
          })
          cluster.run(wait)
        })
        cluster.run(60)
      }),
      { numRuns: 40 },
    )
    expect(checked).toBeGreaterThan(1000)
  })
})

/** Neither surge nor absence comes to a whole pod: absence then counts as one, as upstream has it. */
const isStuck = ({
  replicas,
  maxSurge,
  maxUnavailable,
}: {
  replicas: number
  maxSurge: Amount
  maxUnavailable: Amount
}) => absent(maxUnavailable, replicas) === 0 && (maxSurge === 0 || maxSurge === '0%')

/** Whether the pod is ready, for so long at least, and not on its way out. */
function servesFor(pod: Pod, cluster: TestCluster, seconds: number): boolean {
  const ready = pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True')
  if (!ready || pod.metadata.deletionTimestamp !== undefined) return false
  return START_MS + cluster.now * 1000 - Date.parse(ready.lastTransitionTime ?? '') >= seconds * 1000
}

type Act = { readonly wait: number } & (
  | { readonly kind: 'evict' | 'kill' | 'delete'; readonly pick: number }
  | { readonly kind: 'drain' | 'uncordon'; readonly node: number }
  | { readonly kind: 'scale'; readonly replicas: number }
  | { readonly kind: 'roll'; readonly readyAfter: number }
)
const wait = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 20 }))
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ wait, kind: fc.constantFrom('evict', 'kill', 'delete'), pick: fc.nat(50) }),
  fc.record({ wait, kind: fc.constantFrom('drain', 'uncordon'), node: fc.nat(2) }),
  fc.record({ wait, kind: fc.constant('scale'), replicas: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ wait, kind: fc.constant('roll'), readyAfter: fc.nat(6) }),
)
const budgetSpec = fc.oneof(
  fc.record({ minAvailable: amount }),
  fc.record({ maxUnavailable: amount }),
  fc.record({ minAvailable: amount, unhealthyPodEvictionPolicy: fc.constant('AlwaysAllow') }),
)

/**
 * Until the controller of budgets has heard of what went past it: as on a real cluster, a budget cannot answer for a pod
 * that is deleted in the same instant. Of evictions it knows at once.
 */
const HEARD_S = 0.5
const settlesAtOnce = ({ kind }: Act): boolean => kind === 'evict' || kind === 'drain' || kind === 'uncordon'

/** A cluster with a Deployment and its budget, to which things are done; evictions are checked against the budget. */
class Disturbed {
  readonly cluster: TestCluster
  readonly invariants: Invariants
  evicted = 0

  constructor(seed: number, budget: object) {
    this.cluster = new TestCluster(seed)
    this.invariants = new Invariants(this.cluster)
    this.cluster.apply(deployment('web', { replicas: 3 }))
    this.cluster.apply(service('web'))
    const spec = { selector: { matchLabels: { app: 'web' } }, ...budget }
    this.cluster.apply({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec,
    })
    this.cluster.run(20)
  }

  perform(step: Act): void {
    if ('pick' in step) return this.takeAway(step)
    if ('node' in step) return step.kind === 'drain' ? this.drain(step.node) : this.cordon(step.node, false)
    if ('replicas' in step) return change(this.cluster, { replicas: step.replicas })
    const env = { AT: String(this.cluster.now) }
    change(this.cluster, { template: template('web', { container: slow(step.readyAfter), env }) })
  }

  private takeAway({ kind, pick }: Extract<Act, { pick: number }>): void {
    const pods = this.cluster.pods()
    const pod = pods[pick % (pods.length || 1)]
    if (!pod) return
    if (kind === 'evict') return this.evict(pod)
    this.cluster.store.remove('pods', 'app', pod.metadata.name, { graceSeconds: kind === 'kill' ? 0 : 30 })
  }

  private drain(node: number): void {
    this.cordon(node, true)
    for (const pod of this.cluster.pods()) if (pod.spec.nodeName === this.nodeName(node)) this.evict(pod)
  }

  private nodeName(index: number): string {
    return this.cluster.store.list('nodes')[index]?.metadata.name ?? ''
  }

  private cordon(index: number, unschedulable: boolean): void {
    const node = this.cluster.store.get('nodes', null, this.nodeName(index))
    if (node) this.cluster.store.update('nodes', { ...node, spec: { ...(node.spec as object), unschedulable } })
  }

  /** An eviction that is granted takes a pod that the budget does not count, or leaves enough of those that it counts. */
  private evict({ metadata: { name } }: Pod): void {
    const { engine, store } = this.cluster
    const pod = store.get<Pod>('pods', 'app', name)
    if (!pod) return
    const counted = isHealthy(pod)
    const path = { definition: definitionOf('pods'), namespace: 'app', name, subresource: 'eviction' } as const
    try {
      evictPod(engine, path, {}, false)
    } catch (error) {
      if (error instanceof ApiError && error.code === 429) return
      throw error
    }
    this.evicted++
    if (!counted) return
    const budget = store.get<PodDisruptionBudget>('poddisruptionbudgets.policy', 'app', 'web')
    const { desiredHealthy } = budget?.status as { desiredHealthy: number }
    expect(this.cluster.readyPods('web').length).toBeGreaterThanOrEqual(desiredHealthy)
  }
}

describe('a cluster in which pods are evicted, killed, rolled and scaled', () => {
  it('keeps to its budgets, calls no endpoint ready that is not, and runs no pod in two places', () => {
    const seen = { evicted: 0, checked: 0 }
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        budgetSpec,
        fc.array(act, { minLength: 3, maxLength: 16 }),
        (seed, budget, acts) => {
          const disturbed = new Disturbed(seed, budget)
          for (const step of acts) {
            disturbed.perform(step)
            disturbed.cluster.run(Math.max(step.wait, settlesAtOnce(step) ? 0 : HEARD_S))
          }
          disturbed.cluster.run(60)
          seen.evicted += disturbed.evicted
          seen.checked += disturbed.invariants.checked
        },
      ),
      { numRuns: 40 },
    )
    expect(seen.evicted).toBeGreaterThan(20)
    expect(seen.checked).toBeGreaterThan(2000)
  })
})
