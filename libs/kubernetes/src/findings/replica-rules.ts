import { isDeepStrictEqual } from 'node:util'
import { podLabelsOf, podSpecOf, templatePathOf } from '../graph/pod-template.js'
import {
  type JsonMap,
  type KubernetesObject,
  mapAt,
  mapsAt,
  numberAt,
  selects,
  stringsAt,
  textAt,
} from '../input/kubernetes-object.js'
import { type Rule, type Weakness, workloadRule } from './rule.js'

const barePod = workloadRule(
  { id: 'ORD001-bare-pod', severity: 'warning', why: 'Nothing brings a bare Pod back when it, or its node, is lost.' },
  (object) => {
    if (object.kind !== 'Pod') return []
    return [
      { object, path: ['kind'], message: 'A bare Pod: nothing recreates it when it is lost. Make it a Deployment.' },
    ]
  },
)

const singleReplica = workloadRule(
  { id: 'ORD002-single-replica', severity: 'warning', why: 'While the only pod is replaced, nobody answers.' },
  (object, workload, application) => {
    if (!workload.managed || object.kind === 'DaemonSet' || workload.replicas !== 1 || workload.stateful) return []
    const severity = application.served.has(workload.id) ? 'warning' : 'note'
    return [
      {
        object,
        path: ['spec', 'replicas'],
        message: 'One replica: nothing answers while its pod is replaced.',
        severity,
      },
    ]
  },
)

const loneState = workloadRule(
  {
    id: 'ORD013-lone-state',
    severity: 'warning',
    why: 'While the only pod that holds the state is replaced, nobody answers, and more replicas are no cure.',
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
  },
  (object, workload) => {
    if (!workload.stateful || workload.replicas < 2 || object.kind === 'DaemonSet') return []
    const severity = object.kind === 'StatefulSet' ? 'note' : 'warning'
    const message = `${workload.replicas} replicas that each hold state of their own look redundant, but are not unless they form a cluster.`
    return [{ object, path: ['spec', 'replicas'], message, severity }]
  },
)

const recreate = workloadRule(
  { id: 'ORD004-recreate', severity: 'warning', why: 'Each roll-out stops every pod before the first new one starts.' },
  (object, workload) => {
    const isRecreate = mapAt(object, 'spec', 'strategy').type === 'Recreate'
    if (object.kind !== 'Deployment' || !isRecreate || workload.stateful) return []
    return [{ object, path: ['spec', 'strategy', 'type'], message: 'Recreate: each roll-out is an outage.' }]
  },
)

const unsafeRollout = workloadRule(
  { id: 'ORD005-unsafe-rollout', severity: 'warning', why: 'A roll-out may take every pod away at once.' },
  (object, workload) => {
    const { maxUnavailable } = mapAt(object, 'spec', 'strategy', 'rollingUpdate')
    const isAll =
      maxUnavailable === '100%' || (typeof maxUnavailable === 'number' && maxUnavailable >= workload.replicas)
    if (!isAll || workload.replicas === 0) return []
    const path = ['spec', 'strategy', 'rollingUpdate', 'maxUnavailable']
    return [{ object, path, message: 'A roll-out may take every pod away at once.' }]
  },
)

const NODE = 'kubernetes.io/hostname'
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
  },
  (object, workload) => {
    const index = required(object, 'podAffinity').findIndex(
      (term) =>
        term.topologyKey === NODE && selects(stringsAt(term, 'labelSelector', 'matchLabels'), podLabelsOf(object)),
    )
    if (index < 0 || workload.replicas < 2) return []
    const path = [
      ...specPath(object),
      'affinity',
      'podAffinity',
      'requiredDuringSchedulingIgnoredDuringExecution',
      index,
    ]
    return [{ object, path, message: 'All replicas must share one node, and are lost with it.' }]
  },
)

const mayShareNode = workloadRule(
  { id: 'ORD007-may-share-node', severity: 'note', why: 'Nothing asks for the replicas to run on different nodes.' },
  (object, workload) => {
    const spread = mapsAt(podSpecOf(object), 'topologySpreadConstraints')
    const isSpread = spread.length + required(object, 'podAntiAffinity').length + preferred(object).length > 0
    if (workload.replicas < 2 || object.kind === 'DaemonSet' || isSpread) return []
    return [
      {
        object,
        path: specPath(object),
        message: 'All replicas may run on one node: nothing asks for them to be spread.',
      },
    ]
  },
)

const specPath = (object: KubernetesObject): string[] => [...(templatePathOf(object) ?? []), 'spec']

const blockingBudget = workloadRule(
  { id: 'ORD008-blocking-budget', severity: 'warning', why: 'A node cannot be drained while no pod may leave it.' },
  (_, workload, { budgets }) =>
    (budgets.get(workload.id) ?? []).flatMap((budget): Weakness[] => {
      const { minAvailable, maxUnavailable } = mapAt(budget, 'spec')
      const isAll = minAvailable === '100%' || (typeof minAvailable === 'number' && minAvailable >= workload.replicas)
      const isNone = maxUnavailable === 0 || maxUnavailable === '0%'
      if (!(isAll || isNone) || workload.replicas === 0) return []
      const path = ['spec', isNone ? 'maxUnavailable' : 'minAvailable']
      return [{ object: budget, path, message: `No pod of ${workload.id} may ever leave: nodes cannot be drained.` }]
    }),
)

const noBudget = workloadRule(
  { id: 'ORD009-no-budget', severity: 'note', why: 'Draining nodes may take every replica away at once.' },
  (object, workload, application) => {
    const isCovered = application.budgets.has(workload.id)
    if (workload.replicas < 2 || object.kind === 'DaemonSet' || isCovered || !application.served.has(workload.id))
      return []
    return [
      {
        object,
        path: ['spec'],
        message: 'No PodDisruptionBudget: draining nodes may take every replica away at once.',
      },
    ]
  },
)

const autoscalerMinimum: Rule = {
  id: 'ORD010-autoscaler-minimum',
  severity: 'note',
  why: 'At its minimum the workload has a single pod.',
  find: ({ objects }) =>
    objects.flatMap((object): Weakness[] => {
      const isOne = (numberAt(mapAt(object, 'spec'), 'minReplicas') ?? 1) === 1
      if (object.kind !== 'HorizontalPodAutoscaler' || !isOne) return []
      const target = textAt(mapAt(object, 'spec', 'scaleTargetRef'), 'name') ?? '?'
      return [{ object, path: ['spec', 'minReplicas'], message: `It may scale ${target} down to a single pod.` }]
    }),
}

const shortGracePeriod = workloadRule(
  {
    id: 'ORD011-short-grace-period',
    severity: 'warning',
    why: 'A pod is killed before it has finished what it does before stopping.',
  },
  (object) => {
    const grace = numberAt(podSpecOf(object), 'terminationGracePeriodSeconds') ?? 30
    return mapsAt(podSpecOf(object), 'containers').flatMap((container, index): Weakness[] => {
      const seconds = preStopSeconds(mapAt(container, 'lifecycle', 'preStop'))
      if (seconds === null || seconds < grace) return []
      const path = [...specPath(object), 'containers', index, 'lifecycle', 'preStop']
      return [{ object, path, message: `It waits ${seconds} s before stopping, but is killed after ${grace} s.` }]
    })
  },
)

function preStopSeconds(preStop: JsonMap): number | null {
  const slept = numberAt(mapAt(preStop, 'sleep'), 'seconds')
  if (slept !== null) return slept
  const { command } = mapAt(preStop, 'exec')
  const words = Array.isArray(command) ? command.filter((word) => typeof word === 'string') : []
  const match = /\bsleep (\d+)\b/.exec(words.join(' '))
  return match ? Number(match[1]) : null
}

const sameLiveness = workloadRule(
  {
    id: 'ORD012-liveness-is-readiness',
    severity: 'warning',
    why: 'What should only take a pod out of rotation restarts it at the same moment.',
  },
  (object) =>
    mapsAt(podSpecOf(object), 'containers').flatMap((container, index): Weakness[] => {
      const { livenessProbe, readinessProbe } = container
      if (!livenessProbe || !isDeepStrictEqual(livenessProbe, readinessProbe)) return []
      const path = [...specPath(object), 'containers', index, 'livenessProbe']
      return [
        {
          object,
          path,
          message: 'Liveness is the same as readiness, timing included: a slow moment restarts the pod.',
        },
      ]
    }),
)

export const replicaRules: readonly Rule[] = [
  barePod,
  singleReplica,
  loneState,
  replicatedState,
  recreate,
  unsafeRollout,
  forcedTogether,
  mayShareNode,
  blockingBudget,
  noBudget,
  autoscalerMinimum,
  shortGracePeriod,
  sameLiveness,
]
