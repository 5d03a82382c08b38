import {
  type Condition,
  conditionOf,
  type ContainerState,
  type ContainerStatus,
  type Pod,
  type PodStatus,
} from '../controllers/objects.js'
import { qosClass } from '../schema/qos.js'

/** What the kubelet knows of a container when it reports. */
export interface ContainerReport {
  readonly name: string
  readonly image: string
  readonly imageID: string
  readonly containerID: string | null
  readonly state: ContainerState
  readonly lastState: ContainerState
  readonly ready: boolean
  readonly started: boolean
  readonly restartCount: number
}

/** An init container runs to its end, or beside the others when it is a sidecar. */
export interface InitReport extends ContainerReport {
  readonly sidecar: boolean
}

export interface PodReport {
  readonly pod: Pod
  readonly initContainers: readonly InitReport[]
  readonly containers: readonly ContainerReport[]
  /** Why the pod has failed whatever its containers did: `DeadlineExceeded`. */
  readonly failure: { readonly reason: string; readonly message: string } | null
  /** The pod is being deleted: nothing of it starts again. */
  readonly terminating: boolean
  /** All of it has ended for good, and that was noticed. */
  readonly over: boolean
  readonly sandbox: boolean
  readonly podIP: string
  readonly hostIP: string
  readonly startTime: string
  readonly now: string
}

/** The status that the kubelet writes, field by field as the real one. */
export function podStatus(report: PodReport): PodStatus {
  const { pod, podIP, hostIP, startTime } = report
  const phase = phaseOf(report)
  const generation = pod.metadata.generation
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    // The phase is held back until the pod's end was noticed; conditions tell of it as soon as its containers have ended.
    conditions: conditions(report, phaseOf({ ...report, over: haveEnded(report) })),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP ? { podIP, podIPs: [{ ip: podIP }] } : {}),
    startTime,
    ...(report.failure ?? {}),
    ...(report.initContainers.length > 0 ? { initContainerStatuses: report.initContainers.map(initStatus) } : {}),
    containerStatuses: report.containers.map(containerStatus).sort((a, b) => (a.name < b.name ? -1 : 1)),
    qosClass: qosClass(pod.spec),
  }
}

/** Done: ended well, or, a sidecar, up. */
export function isInitialized({ state, sidecar, started }: InitReport): boolean {
  return sidecar ? started : state.terminated?.exitCode === 0
}

function phaseOf({ pod, containers, initContainers, failure, terminating, over }: PodReport): PodStatus['phase'] {
  if (failure) return 'Failed'
  if (terminating && haveEnded({ containers })) return endPhase(containers, 'Never')
  const policy = pod.spec.restartPolicy ?? 'Always'
  const begun = containers.some(({ state, lastState }) => !state.waiting || lastState.terminated)
  if (!begun && initContainers.some((one) => !isInitialized(one))) return initPhase(initContainers, policy)
  const never = containers.some(({ state, lastState }) => state.waiting && !lastState.terminated)
  if (never) return 'Pending'
  return over ? endPhase(containers, policy) : 'Running'
}

const haveEnded = ({ containers }: Pick<PodReport, 'containers'>): boolean =>
  containers.every(({ state }) => state.terminated)

/** When all have ended: what is restarted runs. */
function endPhase(containers: readonly ContainerReport[], policy: string): PodStatus['phase'] {
  if (policy === 'Always') return 'Running'
  const failed = containers.some(({ state }) => state.terminated?.exitCode !== 0)
  if (!failed) return 'Succeeded'
  return policy === 'Never' ? 'Failed' : 'Running'
}

function initPhase(initContainers: readonly InitReport[], policy: string): PodStatus['phase'] {
  const failed = initContainers.some(({ state, sidecar }) => !sidecar && (state.terminated?.exitCode ?? 0) !== 0)
  return failed && policy === 'Never' ? 'Failed' : 'Pending'
}

function initStatus(report: InitReport): ContainerStatus {
  const ready = report.sidecar ? report.ready : isInitialized(report)
  return { ...containerStatus(report), ready }
}

function containerStatus(container: ContainerReport): ContainerStatus {
  const { name, image, imageID, containerID, state, lastState, ready, started, restartCount } = container
  return {
    name,
    state,
    lastState,
    ready,
    restartCount,
    image,
    imageID,
    ...(containerID ? { containerID } : {}),
    started,
  }
}

function conditions(report: PodReport, phase: PodStatus['phase']): Condition[] {
  const { pod, containers, initContainers, sandbox, now } = report
  const old = pod.status?.conditions
  const watched = [...initContainers.filter(({ sidecar }) => sidecar), ...containers]
  const unready = watched.filter(({ ready }) => !ready).map(({ name }) => name)
  const readiness: Partial<Condition> = readinessOf(phase, unready)
  const wanted: Condition[] = [
    { type: 'PodReadyToStartContainers', status: sandbox ? 'True' : 'False' },
    { type: 'Initialized', status: 'True', ...initialization(report, phase) },
    { type: 'Ready', status: 'True', ...readiness },
    { type: 'ContainersReady', status: 'True', ...readiness },
    { type: 'PodScheduled', status: 'True' },
  ]
  const others = (old ?? []).filter(({ type }) => !wanted.some((condition) => condition.type === type))
  const own = wanted.map((condition) => {
    const before = conditionOf(old, condition.type)
    const kept = before?.status === condition.status ? before.lastTransitionTime : now
    return {
      ...condition,
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
      lastProbeTime: null,
      lastTransitionTime: kept ?? now,
    }
  })
  return [...own, ...others]
}

function initialization({ initContainers, containers }: PodReport, phase: PodStatus['phase']): Partial<Condition> {
  if (phase === 'Succeeded') return { reason: 'PodCompleted' }
  const begun = containers.some(({ state, lastState }) => !state.waiting || lastState.terminated)
  const open = initContainers.filter((one) => !isInitialized(one)).map(({ name }) => name)
  if (begun || open.length === 0) return {}
  const message = `containers with incomplete status: [${open.join(' ')}]`
  return { status: 'False', reason: 'ContainersNotInitialized', message }
}

function readinessOf(phase: PodStatus['phase'], unready: readonly string[]): Partial<Condition> {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  if (unready.length === 0) return {}
  const message = `containers with unready status: [${unready.join(' ')}]`
  return { status: 'False', reason: 'ContainersNotReady', message }
}
