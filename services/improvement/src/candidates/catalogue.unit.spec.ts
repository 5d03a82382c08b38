import { type JsonMap, type KubernetesObject } from '@ordeal/kubernetes'
import { type Change, type Fault, type Workload } from '@ordeal/shared'
import { sampleWorkload } from '@ordeal/shared/testing'
import { type Situation } from './candidate.js'
import { candidatesFor } from './catalogue.js'

const LABELS = { app: 'shop', tier: 'web' }
const HOST = 'kubernetes.io/hostname'
const ZONE = 'topology.kubernetes.io/zone'
const POD = '/spec/template/spec'

interface Given {
  readonly kind?: string
  readonly pod?: JsonMap
  readonly container?: JsonMap
  readonly replicas?: number
  readonly workload?: Partial<Workload>
  readonly scaler?: KubernetesObject
  readonly mode?: 'one' | 'node'
}

function situation({ kind = 'Deployment', replicas, ...given }: Given): Situation {
  const containers = [{ name: 'web', image: 'shop:1', ports: [{ containerPort: 8080 }], ...given.container }]
  const template = { metadata: { labels: LABELS }, spec: { ...given.pod, containers } }
  const id = `${kind}/shop`
  const target = { component: id, selector: { app: 'shop' }, mode: given.mode ?? 'one' }
  const workload = sampleWorkload('shop', { id, podLabels: LABELS, replicas: replicas ?? 1, ...given.workload })
  const faults = [{ kind: 'PodChaos', action: 'pod-kill', target, parameters: {}, durationMs: 60_000 }]
  return {
    graph: { application: 'shop', workloads: [workload], services: [], edges: [], entryPoints: [] },
    workload,
    object: {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: 'shop' },
      spec: { ...(replicas === undefined ? {} : { replicas }), selector: { matchLabels: { app: 'shop' } }, template },
    },
    ...(given.scaler && { scaler: given.scaler }),
    diagnosis: { revision: 0, cause: '', component: id, path: [], evidence: [] },
    faults: faults as unknown as Fault[],
    failed: ['shop-answers'],
  }
}

/** The edits of each candidate that may be tried, by their paths. */
const edits = (given: Given): Record<string, unknown>[] =>
  candidatesFor(situation(given)).flatMap((c) => ('changes' in c ? [byPath(c.changes)] : []))
const byPath = (changes: readonly Change[]): Record<string, unknown> =>
  Object.fromEntries(changes.map((c) => [c.object.endsWith('/shop') ? c.path : `${c.object} ${c.path}`, c.after]))

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const required = (terms: JsonMap[], field?: string): JsonMap => ({ [REQUIRED]: field ? { [field]: terms } : terms })

describe('pods that a place holds together', () => {
  const lost = (pod: JsonMap): Record<string, unknown>[] => edits({ pod, replicas: 3, mode: 'node' })
  const inPlace = (key: string, ...values: string[]): JsonMap => ({ key, operator: 'In', values })

  it.each<JsonMap>([{ nodeName: 'n1' }, { nodeSelector: { [HOST]: 'n1' } }])('are set free of %j', (pod) => {
    const [field] = Object.keys(pod)
    expect(lost(pod)[0]).toMatchObject({ [`${POD}/${field}`]: undefined })
    expect(lost(pod)[0]).toHaveProperty([`${POD}/topologySpreadConstraints`])
  })

  it('keep what says which hardware they need', () => {
    const [first] = lost({ nodeSelector: { [HOST]: 'n1', disk: 'ssd' } })
    expect(first).toMatchObject({ [`${POD}/nodeSelector`]: { disk: 'ssd' } })
    expect(lost({ nodeSelector: { disk: 'ssd' } })[0]).not.toHaveProperty([`${POD}/nodeSelector`])
  })

  it('leave a zone only where leaving the node was not enough', () => {
    const [first, second] = lost({ nodeSelector: { [ZONE]: 'z1' } })
    expect(first).not.toHaveProperty([`${POD}/nodeSelector`])
    expect(second).toHaveProperty([`${POD}/nodeSelector`], undefined)
  })

  it('are set free of a node affinity, and of no more of it than that', () => {
    const path = `${POD}/affinity/nodeAffinity`
    const affinity = (...terms: JsonMap[]) =>
      lost({ affinity: { nodeAffinity: required(terms, 'nodeSelectorTerms') } })[0]
    expect(affinity({ matchExpressions: [inPlace(HOST, 'n1')] })).toHaveProperty([path], undefined)
    expect(affinity({ matchFields: [inPlace('metadata.name', 'n1')] })).toHaveProperty([path], undefined)
    const arm = inPlace('kubernetes.io/arch', 'arm64')
    expect(affinity({ matchExpressions: [inPlace(HOST, 'n1'), arm] })).toMatchObject({
      [`${path}/${REQUIRED}/nodeSelectorTerms`]: [{ matchExpressions: [arm] }],
    })
    // Several nodes, or an alternative, leave room.
    expect(Object.keys(affinity({ matchExpressions: [inPlace(HOST, 'n1', 'n2')] }) ?? {})).toHaveLength(1)
    expect(
      Object.keys(affinity({ matchExpressions: [inPlace(HOST, 'n1')] }, { matchExpressions: [arm] }) ?? {}),
    ).toHaveLength(1)
  })

  it.each<JsonMap>([{ matchLabels: { app: 'shop' } }, { matchExpressions: [inPlace('app', 'shop')] }])(
    'are not drawn to each other by %j',
    (labelSelector) => {
      const term = { topologyKey: HOST, labelSelector }
      const [first] = lost({ affinity: { podAffinity: required([term]) } })
      expect(first).toHaveProperty([`${POD}/affinity/podAffinity`], undefined)
    },
  )

  it('leave the pods of others only where that was not enough', () => {
    const term = { topologyKey: HOST, labelSelector: { matchLabels: { app: 'cache' } } }
    const [first, second] = lost({ affinity: { podAffinity: required([term]) } })
    expect(first).not.toHaveProperty([`${POD}/affinity/podAffinity`])
    expect(second).toHaveProperty([`${POD}/affinity/podAffinity`], undefined)
  })
})

describe('a number of pods that an autoscaler decides on', () => {
  const scaler = (spec: JsonMap): KubernetesObject => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'scale-shop' },
    spec,
  })
  const MIN = 'HorizontalPodAutoscaler/scale-shop /spec/minReplicas'
  const MAX = 'HorizontalPodAutoscaler/scale-shop /spec/maxReplicas'
  const ready = { readinessProbe: { tcpSocket: { port: 8080 } } }

  it('is raised there', () => {
    const [first] = edits({ container: ready, scaler: scaler({ minReplicas: 1, maxReplicas: 5 }) })
    expect(first).toEqual({ [MIN]: 2 })
  })

  it('is raised in the workload, too, where that says less, and has room above', () => {
    const [first] = edits({ replicas: 1, container: ready, scaler: scaler({ maxReplicas: 1 }) })
    expect(first).toEqual({ [MIN]: 2, [MAX]: 2, '/spec/replicas': 2 })
  })
})

describe('a DaemonSet', () => {
  it('is given a readiness probe: its other pods answer meanwhile', () => {
    const [first] = edits({ kind: 'DaemonSet', workload: { readiness: false } })
    expect(first).toHaveProperty([`${POD}/containers/0/readinessProbe`])
  })
})
