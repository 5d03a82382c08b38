import { podLabelsOf, podSpecOf, podSpecPath } from '../graph/pod-template.js'
import {
  type Json,
  type JsonMap,
  type KubernetesObject,
  mapAt,
  numberAt,
  selects,
  stringsAt,
} from '../input/kubernetes-object.js'
import { containerRule, type Rule, workloadRule } from './rule.js'

const recreate = workloadRule(
  {
    id: 'ORD004-recreate',
    severity: 'warning',
    why: 'Each roll-out stops every pod before the first new one starts.',
    proof: 'Restart the roll-out under traffic: requests fail until the new pods are ready.',
  },
  (object, workload) => {
    const isRecreate = mapAt(object, 'spec', 'strategy').type === 'Recreate'
    if (object.kind !== 'Deployment' || !isRecreate || workload.stateful) return []
    return [{ object, path: ['spec', 'strategy', 'type'], message: 'Recreate: each roll-out is an outage.' }]
  },
)

const isNothing = (value: Json | undefined): boolean => value === 0 || value === '0' || value === '0%'

const unsafeRollout = workloadRule(
  {
    id: 'ORD005-unsafe-rollout',
    severity: 'warning',
    why: 'A roll-out may take every pod away at once, or can never start.',
    proof: 'Restart the roll-out under traffic, with a new version that never gets ready.',
  },
  (object, workload) => {
    const { maxUnavailable, maxSurge } = mapAt(object, 'spec', 'strategy', 'rollingUpdate')
    const path = ['spec', 'strategy', 'rollingUpdate', 'maxUnavailable']
    if (isNothing(maxUnavailable) && isNothing(maxSurge)) {
      const message = 'maxUnavailable and maxSurge are both 0: Kubernetes refuses a roll-out that may change nothing.'
      return [{ object, path, message, severity: 'error' }]
    }
    const isAll =
      maxUnavailable === '100%' || (typeof maxUnavailable === 'number' && maxUnavailable >= workload.replicas)
    if (!isAll || workload.replicas === 0) return []
    return [{ object, path, message: 'A roll-out may take every pod away at once.' }]
  },
)

const graceOf = (object: KubernetesObject): number => numberAt(podSpecOf(object), 'terminationGracePeriodSeconds') ?? 30

const shortGracePeriod = containerRule(
  {
    id: 'ORD011-short-grace-period',
    severity: 'warning',
    why: 'A pod is killed before it has finished what it does before stopping.',
    proof: 'Delete a pod under traffic: requests that it was answering fail.',
  },
  (container, path, { object }) => {
    const grace = graceOf(object)
    const seconds = preStopSeconds(mapAt(container, 'lifecycle', 'preStop'))
    if (seconds === null || seconds < grace) return []
    const message = `It waits ${seconds} s before stopping, but is killed after ${grace} s.`
    return [{ object, path: [...path, 'lifecycle', 'preStop'], message }]
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

const noGracePeriod = workloadRule(
  {
    id: 'ORD019-no-grace-period',
    severity: 'warning',
    why: 'A pod that is stopped is killed at once, with all requests that it is answering.',
    proof: 'Delete a pod under traffic: requests that it was answering fail.',
  },
  (object, workload, { served }) => {
    if (graceOf(object) !== 0 || !served.has(workload.id)) return []
    const path = [...podSpecPath(object), 'terminationGracePeriodSeconds']
    return [{ object, path, message: 'A grace period of 0: its pods are killed in the middle of their requests.' }]
  },
)

const selectorMissesOwnPods = workloadRule(
  {
    id: 'ORD017-selector-misses-own-pods',
    severity: 'error',
    why: 'Kubernetes refuses a workload that would not recognise its own pods.',
    proof: 'Apply it: the API server answers that the selector does not match the template labels.',
  },
  (object) => {
    const selector = stringsAt(object, 'spec', 'selector', 'matchLabels')
    const isOwner = object.kind !== 'Pod' && object.kind !== 'ReplicationController'
    if (!isOwner || !Object.keys(selector).length || selects(selector, podLabelsOf(object))) return []
    const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`)
    const message = `Its own pods do not carry the labels that it selects (${labels.join(', ')}).`
    return [{ object, path: ['spec', 'selector', 'matchLabels'], message }]
  },
)

export const rolloutRules: readonly Rule[] = [
  recreate,
  unsafeRollout,
  shortGracePeriod,
  noGracePeriod,
  selectorMissesOwnPods,
]
