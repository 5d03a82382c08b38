import { podSpecOf } from '../graph/pod-template.js'
import { idOf, type KubernetesObject, mapAt, mapsAt, numberAt, stringsAt, textAt } from '../input/kubernetes-object.js'
import { type Rule, type Weakness, workloadRule } from './rule.js'

const blockingBudget = workloadRule(
  {
    id: 'ORD008-blocking-budget',
    severity: 'warning',
    why: 'A node cannot be drained while no pod may leave it.',
    proof: 'Drain a node with one of its pods: the drain never ends.',
  },
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
  {
    id: 'ORD009-no-budget',
    severity: 'note',
    why: 'Draining nodes may take every replica away at once.',
    proof: 'Drain all nodes that hold its pods at the same time.',
  },
  (object, workload, application) => {
    const isCovered = application.budgets.has(workload.id)
    if (workload.replicas < 2 || object.kind === 'DaemonSet' || isCovered || !application.served.has(workload.id))
      return []
    const message = 'No PodDisruptionBudget: draining nodes may take every replica away at once.'
    return [{ object, path: ['spec'], message }]
  },
)

const budgetMatchesNothing: Rule = {
  id: 'ORD014-budget-matches-nothing',
  severity: 'warning',
  why: 'A budget that keeps no pod keeps nobody from draining all of them.',
  proof: 'Drain every node that holds the pods it was meant for: none is held back.',
  find: ({ objects, pods, isOperated }) =>
    objects.flatMap((object): Weakness[] => {
      const labels = stringsAt(object, 'spec', 'selector', 'matchLabels')
      const isBudget = object.kind === 'PodDisruptionBudget' && Object.keys(labels).length > 0
      if (!isBudget || pods.select(labels).length || isOperated) return []
      const named = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
      const message = `No pod carries the labels that it selects (${named.join(', ')}).`
      return [{ object, path: ['spec', 'selector'], message }]
    }),
}

const twoBudgets = workloadRule(
  {
    id: 'ORD018-two-budgets',
    severity: 'warning',
    why: 'Kubernetes evicts no pod that two budgets keep: a node with it cannot be drained.',
    proof: 'Drain a node with one of its pods: the eviction is answered with an error.',
  },
  (_, workload, { budgets }) => {
    const [first, second] = budgets.get(workload.id) ?? []
    if (!first || !second) return []
    const message = `It keeps the pods of ${workload.id}, which ${idOf(first)} keeps too: neither lets them be evicted.`
    return [{ object: second, path: ['spec', 'selector'], message }]
  },
)

const isScaler = (object: KubernetesObject): boolean => object.kind === 'HorizontalPodAutoscaler'

const autoscalerMinimum: Rule = {
  id: 'ORD010-autoscaler-minimum',
  severity: 'note',
  why: 'At its minimum the workload has a single pod.',
  proof: 'Leave it without load until it has scaled down, then kill its pod under light traffic.',
  find: ({ objects }) =>
    objects.flatMap((object): Weakness[] => {
      const isOne = (numberAt(mapAt(object, 'spec'), 'minReplicas') ?? 1) === 1
      if (!isScaler(object) || !isOne) return []
      const target = textAt(mapAt(object, 'spec', 'scaleTargetRef'), 'name') ?? '?'
      return [{ object, path: ['spec', 'minReplicas'], message: `It may scale ${target} down to a single pod.` }]
    }),
}

const autoscalerWithoutTarget: Rule = {
  id: 'ORD015-autoscaler-without-target',
  severity: 'error',
  why: 'Under load nothing is scaled.',
  proof: 'Send it more load than its replicas can bear: their number stays.',
  find: ({ objects, byId, isOperated }) =>
    objects.flatMap((object): Weakness[] => {
      if (!isScaler(object)) return []
      const target = mapAt(object, 'spec', 'scaleTargetRef')
      const id = `${textAt(target, 'kind')}/${textAt(target, 'name')}`
      if (byId.has(id)) return []
      const isOwnKind = (textAt(target, 'apiVersion') ?? 'apps/v1').startsWith('apps/')
      const message = `There is no ${id} among the manifests to scale.`
      const severity = isOwnKind && !isOperated ? 'error' : 'note'
      return [{ object, path: ['spec', 'scaleTargetRef'], message, severity }]
    }),
}

const autoscalerRequests = workloadRule(
  {
    id: 'ORD027-autoscaler-without-requests',
    severity: 'warning',
    why: 'Without requests there is no utilisation to scale by.',
    proof: 'Send it more load than its replicas can bear: their number stays.',
  },
  (object, workload, { scalers }) => {
    const scaler = scalers.get(workload.id)
    const isRequested = mapsAt(podSpecOf(object), 'containers').every(
      (c) => mapAt(c, 'resources').requests ?? mapAt(c, 'resources').limits,
    )
    if (!scaler || isRequested || !scalesByUtilisation(scaler)) return []
    const message = `${idOf(object)} requests nothing, so it cannot be scaled by utilisation.`
    return [{ object: scaler, path: ['spec'], message }]
  },
)

/** A target of another type, or a metric that is no resource, needs no requests. */
function scalesByUtilisation(scaler: KubernetesObject): boolean {
  const metrics = mapsAt(mapAt(scaler, 'spec'), 'metrics')
  const targets = metrics.map((m) => mapAt(mapAt(m, 'resource'), 'target').type)
  return !metrics.length || targets.includes('Utilization')
}

const replicasBesideAutoscaler = workloadRule(
  {
    id: 'ORD016-replicas-beside-autoscaler',
    severity: 'note',
    why: 'Each time the manifests are applied, the number of pods jumps back from what the load asked for.',
    proof: 'Apply the manifests again while the autoscaler has scaled up.',
  },
  (object, workload, { scalers }) => {
    const scaler = scalers.get(workload.id)
    if (!scaler || numberAt(mapAt(object, 'spec'), 'replicas') === null) return []
    const message = `${idOf(scaler)} sets its replicas; applying this number again undoes that.`
    return [{ object, path: ['spec', 'replicas'], message }]
  },
)

export const budgetRules: readonly Rule[] = [blockingBudget, noBudget, budgetMatchesNothing, twoBudgets]
export const autoscalerRules: readonly Rule[] = [
  autoscalerMinimum,
  autoscalerWithoutTarget,
  autoscalerRequests,
  replicasBesideAutoscaler,
]
