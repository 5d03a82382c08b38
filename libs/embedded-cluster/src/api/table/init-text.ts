import type { StoredObject } from '../../store/object.js'

/** What `kubectl get pods` reads of an init container's status. */
export interface InitStatus {
  name: string
  started?: boolean
  state?: { waiting?: { reason?: string }; terminated?: { reason?: string; signal?: number; exitCode?: number } }
}
interface Init {
  name: string
  restartPolicy?: string
}

const initsOf = ({ spec }: StoredObject): readonly Init[] => (spec as { initContainers?: Init[] }).initContainers ?? []

/** Names of the pod's sidecars: init containers that go on. */
export function sidecarsOf(pod: StoredObject): string[] {
  return initsOf(pod).flatMap(({ name, restartPolicy }) => (restartPolicy === 'Always' ? [name] : []))
}

/** `Init:1/2`, or what keeps the first unfinished init container; empty when all are done. */
export function initText(pod: StoredObject): string {
  const inits = initsOf(pod)
  const { initContainerStatuses: statuses = [] } = (pod.status ?? {}) as { initContainerStatuses?: InitStatus[] }
  const statusOf = ({ name }: Init) => statuses.find((one) => one.name === name)
  const index = inits.findIndex((init) => !isDone(init, statusOf(init)))
  const open = inits[index]
  return open ? `Init:${reasonOf(statusOf(open)) ?? `${index}/${inits.length}`}` : ''
}

function isDone({ restartPolicy }: Init, status: InitStatus | undefined): boolean {
  return restartPolicy === 'Always' ? status?.started === true : status?.state?.terminated?.exitCode === 0
}

function reasonOf(status: InitStatus | undefined): string | undefined {
  const { waiting, terminated } = status?.state ?? {}
  if (terminated) return terminated.reason ?? exitText(terminated)
  return waiting?.reason && waiting.reason !== 'PodInitializing' ? waiting.reason : undefined
}

const exitText = ({ signal, exitCode = 0 }: { signal?: number; exitCode?: number }): string =>
  signal ? `Signal:${signal}` : `ExitCode:${exitCode}`
