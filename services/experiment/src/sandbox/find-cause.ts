import {
  isRefused,
  objectIdOf,
  RefusedError,
  type ClusterObject,
  type ContainerStatus,
  type Controller,
  type EventObject,
  type Pod,
  type ServiceObject,
} from '@ordeal/kubernetes'
import { type Sandbox } from './open-sandbox.js'
import { listPods, readOwners, type OwnerOf } from './owners.js'
import { unreadiness } from './readiness.js'

/** Why an application does not come to work, and which of its objects show it. */
export interface Cause {
  readonly cause: string
  readonly objects: string[]
}

interface Scene {
  readonly pods: readonly Pod[]
  readonly services: readonly ServiceObject[]
  readonly controllers: readonly Controller[]
  /** Oldest first. */
  readonly events: readonly EventObject[]
  readonly ownerOf: OwnerOf
  readonly lastLines: (pod: Pod, container: string) => Promise<string | null>
}

type Look = (scene: Scene) => Cause | null | Promise<Cause | null>

const LOG_LINES = 5
const CONTROLLERS = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet']

/** Looks for the known reasons, the most telling first. `sawInstead` is said when none of them shows. */
export async function findCause(sandbox: Sandbox, sawInstead: Cause): Promise<Cause> {
  const scene = await readScene(sandbox)
  for (const look of LOOKS) {
    const found = await look(scene)
    if (found) return found
  }
  return sawInstead
}

async function readScene(sandbox: Sandbox): Promise<Scene> {
  const { cluster, namespace } = sandbox
  const list = <T extends ClusterObject>(apiVersion: string, kind: string) =>
    cluster.objects.list<T>({ apiVersion, kind, namespace })
  const controllers: Controller[] = []
  for (const kind of CONTROLLERS) controllers.push(...(await ifKnown(list<Controller>('apps/v1', kind))))
  return {
    pods: await listPods(sandbox),
    services: await list<ServiceObject>('v1', 'Service'),
    controllers,
    events: await list<EventObject>('v1', 'Event'),
    ownerOf: await readOwners(sandbox),
    lastLines: ({ metadata }, container) => lastLines(sandbox, metadata.name, container),
  }
}

/** The end of the log of the attempt that failed, else of the one under way; null when neither can be had any more. */
async function lastLines({ cluster, namespace }: Sandbox, name: string, container: string): Promise<string | null> {
  for (const previous of [true, false]) {
    const log = await logOf(() => cluster.objects.log({ namespace, name }, { container, previous }))
    if (log !== null) return log.trimEnd().split('\n').slice(-LOG_LINES).join(' | ')
  }
  return null
}

/** Null where the cluster has no log: the container was not started yet, or is removed. */
async function logOf(read: () => Promise<string>): Promise<string | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof RefusedError) return null
    throw error
  }
}

/** A cluster that does not have the kind has no object of it. */
async function ifKnown<T>(objects: Promise<T[]>): Promise<T[]> {
  try {
    return await objects
  } catch (error) {
    if (isRefused(error, 404)) return []
    throw error
  }
}

const LOOKS: readonly Look[] = [
  badImage,
  badConfiguration,
  unschedulable,
  killedByProbe,
  crashing,
  failingProbe,
  refusedPods,
  deadService,
  slowController,
]

interface Seen {
  readonly pod: Pod
  readonly status: ContainerStatus
}

const containersOf = (scene: Scene): Seen[] =>
  scene.pods.flatMap((pod) =>
    [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].map((status) => ({
      pod,
      status,
    })),
  )

function waitingFor(scene: Scene, reasons: RegExp, words: (seen: Seen, reason: string) => string): Cause | null {
  const seen = containersOf(scene).find(({ status }) => reasons.test(status.state?.waiting?.reason ?? ''))
  if (!seen) return null
  const { reason = '', message } = seen.status.state?.waiting ?? {}
  return { cause: words(seen, message ? `${reason}: ${message}` : reason), objects: [scene.ownerOf(seen.pod)] }
}

function badImage(scene: Scene): Cause | null {
  return waitingFor(
    scene,
    /Image/,
    ({ status }, why) => `the image ${status.image} of container ${status.name} cannot be used (${why})`,
  )
}

function badConfiguration(scene: Scene): Cause | null {
  return waitingFor(
    scene,
    /CreateContainer|RunContainer/,
    ({ status }, why) => `container ${status.name} cannot be created (${why})`,
  )
}

function unschedulable(scene: Scene): Cause | null {
  for (const pod of scene.pods) {
    const condition = pod.status?.conditions?.find((c) => c.type === 'PodScheduled' && c.status === 'False')
    if (!condition) continue
    const why = condition.message ?? condition.reason ?? 'the scheduler does not say why'
    const remedy = 'make room on a node, or let the pod ask for less'
    return { cause: `no node takes pod ${pod.metadata.name}: ${why} (${remedy})`, objects: [scene.ownerOf(pod)] }
  }
  return null
}

/** A container that is not given the time to start looks like one that crashes; the kubelet says who ended it. */
function killedByProbe(scene: Scene): Cause | null {
  for (const { pod, status } of containersOf(scene)) {
    if (status.ready || status.restartCount === 0) continue
    const about = scene.events.filter((event) => event.involvedObject.name === pod.metadata.name)
    const words = new RegExp(`^Container ${status.name} failed (liveness|startup) probe`)
    const kill = about.findLast((event) => event.reason === 'Killing' && words.test(event.message ?? ''))
    const probe = words.exec(kill?.message ?? '')?.[1]
    if (!probe) continue
    const failure = about.findLast(({ reason, message }) => {
      return reason === 'Unhealthy' && message?.toLowerCase().startsWith(`${probe} probe`)
    })
    const said = failure ? `: ${failure.message}` : ''
    return {
      cause: `container ${status.name} is ended again and again by its ${probe} probe before it is ready (${status.restartCount} restarts)${said}`,
      objects: [scene.ownerOf(pod)],
    }
  }
  return null
}

async function crashing(scene: Scene): Promise<Cause | null> {
  const seen = containersOf(scene).find(({ status: { state, restartCount } }) => {
    const crashed = state?.terminated && state.terminated.exitCode !== 0
    return crashed || state?.waiting?.reason === 'CrashLoopBackOff' || (restartCount > 0 && !state?.running)
  })
  if (!seen) return null
  const { pod, status } = seen
  const end = status.lastState?.terminated ?? status.state?.terminated
  const lines = await scene.lastLines(pod, status.name)
  const said = lines === null ? '; its log is gone' : lines ? `; its last words: ${lines}` : '; it wrote nothing'
  const how = end ? `${end.reason ?? 'ended'}, exit code ${end.exitCode ?? 'unknown'}` : 'it ends soon after its start'
  return {
    cause: `container ${status.name} crashes again and again (${how}, ${status.restartCount} restarts)${said}`,
    objects: [scene.ownerOf(pod)],
  }
}

function failingProbe(scene: Scene): Cause | null {
  const seen = containersOf(scene).find(({ status }) => status.state?.running && !status.ready)
  if (!seen) return null
  const { pod, status } = seen
  const event = scene.events.findLast((e) => e.reason === 'Unhealthy' && e.involvedObject.name === pod.metadata.name)
  const why = event?.message ?? 'it runs, but its readiness probe has not succeeded'
  return { cause: `container ${status.name} is not ready: ${why}`, objects: [scene.ownerOf(pod)] }
}

function refusedPods(scene: Scene): Cause | null {
  const event = scene.events.findLast((e) => e.reason === 'FailedCreate')
  if (!event) return null
  const id = `${event.involvedObject.kind}/${event.involvedObject.name}`
  const remedy = 'let the cluster allow them, or the pods ask for less'
  return { cause: `pods of ${id} are refused: ${event.message} (${remedy})`, objects: [id] }
}

function deadService(scene: Scene): Cause | null {
  for (const service of scene.services) {
    const cause = deadnessOf(service, scene)
    if (cause) return cause
  }
  return null
}

function deadnessOf(service: ServiceObject, { pods, ownerOf }: Scene): Cause | null {
  const selector = Object.entries(service.spec.selector ?? {})
  if (selector.length === 0) return null
  const id = objectIdOf(service)
  const behind = pods.filter((p) => selector.every(([key, value]) => p.metadata.labels?.[key] === value))
  if (behind.length === 0) {
    const words = selector.map(([key, value]) => `${key}=${value}`).join(',')
    return { cause: `${id} selects no pod: none has the labels ${words}`, objects: [id] }
  }
  const cause = wrongPort(service, behind)
  return cause === null ? null : { cause: `${id} ${cause}`, objects: [id, ...new Set(behind.map(ownerOf))] }
}

/** What of a Service leads to no port that the containers behind it declare; a headless one turns no port into another. */
function wrongPort({ spec }: ServiceObject, behind: readonly Pod[]): string | null {
  const declared = behind.flatMap((p) => p.spec.containers.flatMap((c) => c.ports ?? []))
  const isHeadless = spec.clusterIP === 'None'
  const wrong = (spec.ports ?? []).find(({ port, targetPort = port }) => {
    const reached = isHeadless ? port : targetPort
    return declared.length > 0 && !declared.some((d) => d.containerPort === reached || d.name === reached)
  })
  if (!wrong) return null
  const listen = `the containers behind it listen on ${[...new Set(declared.map((d) => d.containerPort))].join(', ')}`
  return isHeadless
    ? `is headless, so its callers reach pods on port ${wrong.port} itself, but ${listen}`
    : `sends port ${wrong.port} to ${wrong.targetPort ?? wrong.port}, but ${listen}`
}

function slowController(scene: Scene): Cause | null {
  for (const object of [...scene.controllers, ...scene.pods]) {
    const why = unreadiness(object)
    if (why) return { cause: `${objectIdOf(object)} does not become ready: ${why}`, objects: [objectIdOf(object)] }
  }
  return null
}
