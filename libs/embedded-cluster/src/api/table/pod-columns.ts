import type { StoredObject } from '../../store/object.js'
import { AGE, NAME, since, type Column } from './cells.js'
import { initText, sidecarsOf, type InitStatus } from './init-text.js'

interface ContainerStatus {
  ready?: boolean
  restartCount?: number
  state?: {
    running?: object
    waiting?: { reason?: string }
    terminated?: { reason?: string; signal?: number; exitCode?: number }
  }
  lastState?: { terminated?: { finishedAt?: string } }
}

interface PodStatus {
  phase?: string
  reason?: string
  podIP?: string
  nominatedNodeName?: string
  initContainerStatuses?: (ContainerStatus & InitStatus)[]
  containerStatuses?: ContainerStatus[]
  conditions?: { type: string; status: string }[]
}

export function podColumns(): readonly Column[] {
  return [
    NAME,
    { name: 'Ready', cell: readyText },
    { name: 'Status', cell: statusText },
    { name: 'Restarts', cell: restartsText },
    AGE,
    { name: 'IP', priority: 1, cell: (pod) => statusOf(pod).podIP || '<none>' },
    { name: 'Node', priority: 1, cell: (pod) => (pod.spec as { nodeName?: string }).nodeName || '<none>' },
    { name: 'Nominated Node', priority: 1, cell: (pod) => statusOf(pod).nominatedNodeName || '<none>' },
    { name: 'Readiness Gates', priority: 1, cell: () => '<none>' },
  ]
}

function statusOf(pod: StoredObject): PodStatus {
  return pod.status ?? {}
}

function containersOf(pod: StoredObject): readonly ContainerStatus[] {
  return statusOf(pod).containerStatuses ?? []
}

function isUp({ ready, state }: ContainerStatus): boolean {
  return Boolean(ready && state?.running)
}

function readyText(pod: StoredObject): string {
  const { containers } = pod.spec as { containers: unknown[] }
  const sidecars = sidecarsOf(pod)
  const beside = (statusOf(pod).initContainerStatuses ?? []).filter(({ name }) => sidecars.includes(name))
  const up = [...beside, ...containersOf(pod)].filter(isUp).length
  return `${up}/${containers.length + sidecars.length}`
}

/** The reason of the first container that has one counts more than the phase. */
function statusText(pod: StoredObject): string {
  const { phase } = statusOf(pod)
  const over = phase === 'Succeeded' || phase === 'Failed'
  if (pod.metadata.deletionTimestamp !== undefined && !over) return 'Terminating'
  return (over ? '' : initText(pod)) || runText(pod)
}

function runText(pod: StoredObject): string {
  const { phase = '', reason } = statusOf(pod)
  const reasons = containersOf(pod)
    .map(containerReason)
    .filter((text) => text !== '')
  const shown = reasons[0] ?? (reason || phase)
  return shown === 'Completed' && containersOf(pod).some(isUp) ? runningOr(pod) : shown
}

function runningOr(pod: StoredObject): string {
  const conditions = statusOf(pod).conditions ?? []
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True') ? 'Running' : 'NotReady'
}

function containerReason({ state = {} }: ContainerStatus): string {
  const { waiting, terminated } = state
  if (waiting?.reason) return waiting.reason
  if (!terminated) return ''
  if (terminated.reason) return terminated.reason
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode ?? 0}`
}

function restartsText(pod: StoredObject, now: number): string {
  const restarts = containersOf(pod).reduce((sum, status) => sum + (status.restartCount ?? 0), 0)
  const last = containersOf(pod)
    .flatMap((status) => status.lastState?.terminated?.finishedAt ?? [])
    .sort()
    .at(-1)
  return restarts > 0 && last ? `${restarts} (${since(last, now)} ago)` : String(restarts)
}
