import { bindingOf } from '../graph/placement.js'
import { podSpecOf, podSpecPath } from '../graph/pod-template.js'
import { type JsonMap, type KubernetesObject, mapAt, mapsAt } from '../input/kubernetes-object.js'
import { type Rule, workloadRule } from './rule.js'

const barePod = workloadRule(
  {
    id: 'ORD001-bare-pod',
    severity: 'warning',
    why: 'Nothing brings a bare Pod back when it, or its node, is lost.',
    proof: 'Kill the Pod: it never comes back.',
  },
  (object) => {
    if (object.kind !== 'Pod') return []
    return [
      { object, path: ['kind'], message: 'A bare Pod: nothing recreates it when it is lost. Make it a Deployment.' },
    ]
  },
)

const singleReplica = workloadRule(
  {
    id: 'ORD002-single-replica',
    severity: 'warning',
    why: 'While the only pod is replaced, nobody answers.',
    proof: 'Kill its pod under traffic: requests fail until the next pod is ready.',
  },
  (object, workload, application) => {
    if (!workload.managed || object.kind === 'DaemonSet' || workload.replicas !== 1 || workload.stateful) return []
    const severity = application.served.has(workload.id) ? 'warning' : 'note'
    const message = 'One replica: nothing answers while its pod is replaced.'
    return [{ object, path: ['spec', 'replicas'], message, severity }]
  },
)

const loneState = workloadRule(
  {
    id: 'ORD013-lone-state',
    severity: 'warning',
    why: 'While the only pod that holds the state is replaced, nobody answers, and more replicas are no cure.',
    proof: 'Kill its pod under traffic: every request that needs the state fails until it is back.',
  },
  (object, workload, application) => {
    if (!workload.stateful || workload.replicas !== 1 || !application.served.has(workload.id)) return []
    const message =
      'One pod holds all the state: nothing answers while it is replaced, and more replicas would not share it.'
    return [{ object, path: ['spec', 'replicas'], message }]
  },
)

const replicatedState = workloadRule(
  {
    id: 'ORD003-replicated-state',
    severity: 'warning',
    why: 'Pods that each hold state of their own are several systems, not one with spares, unless they form a cluster.',
    proof: 'Write through one pod, kill it, and read what was written through the others.',
  },
  (object, workload) => {
    if (!workload.stateful || workload.replicas < 2 || object.kind === 'DaemonSet') return []
    const severity = object.kind === 'StatefulSet' ? 'note' : 'warning'
    const message = `${workload.replicas} replicas that each hold state of their own look redundant, but are not unless they form a cluster.`
    return [{ object, path: ['spec', 'replicas'], message, severity }]
  },
)

type Affinity = 'podAffinity' | 'podAntiAffinity'

const required = (object: KubernetesObject, kind: Affinity): JsonMap[] =>
  mapsAt(mapAt(podSpecOf(object), 'affinity', kind), 'requiredDuringSchedulingIgnoredDuringExecution')

const preferred = (object: KubernetesObject): JsonMap[] =>
  mapsAt(mapAt(podSpecOf(object), 'affinity', 'podAntiAffinity'), 'preferredDuringSchedulingIgnoredDuringExecution')

const forcedTogether = workloadRule(
  {
    id: 'ORD006-forced-together',
    severity: 'warning',
    why: 'All replicas are lost with the one node they must share.',
    proof: 'Kill all pods of that node at once: no replica is left.',
  },
  (object, workload) => {
    const path = workload.replicas < 2 || object.kind === 'DaemonSet' ? null : bindingOf(object)
    const message = 'All replicas must share one node, and are lost with it.'
    return path === null ? [] : [{ object, path: [...podSpecPath(object), ...path], message }]
  },
)

const mayShareNode = workloadRule(
  {
    id: 'ORD007-may-share-node',
    severity: 'note',
    why: 'Nothing asks for the replicas to run on different nodes, so that one node may take all of them.',
    proof: 'Drain the node that holds most of its pods.',
  },
  (object, workload) => {
    const spread = mapsAt(podSpecOf(object), 'topologySpreadConstraints')
    const isSpread = spread.length + required(object, 'podAntiAffinity').length + preferred(object).length > 0
    if (workload.replicas < 2 || object.kind === 'DaemonSet' || isSpread) return []
    const message = 'All replicas may run on one node: nothing asks for them to be spread.'
    return [{ object, path: podSpecPath(object), message }]
  },
)

export const replicaRules: readonly Rule[] = [
  barePod,
  singleReplica,
  loneState,
  replicatedState,
  forcedTogether,
  mayShareNode,
]
