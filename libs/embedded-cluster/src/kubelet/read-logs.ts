import { type LogRequest } from '../api/engine-port.js'
import { definitionOf } from '../schema/resources.js'
import { ApiError, notFound } from '../store/api-error.js'
import { type ObjectStore } from '../store/store.js'
import { type Pod } from '../controllers/objects.js'
import { type ContainerRunner } from './container-runner.js'
import { type Kubelets } from './kubelets.js'
import { type ContainerLog } from './logs.js'

/** The log that a request names, in the API server's words when there is none. */
export function findLog(
  store: ObjectStore,
  kubelets: Kubelets,
  { namespace, pod: name, container, previous }: LogRequest,
): ContainerLog {
  const pod = store.get<Pod>('pods', namespace, name)
  if (!pod) throw notFound(definitionOf('pods'), name)
  const chosen = chooseContainer(pod, container)
  const worker = kubelets.workerOf(pod)
  const runner = worker?.all.find(({ spec }) => spec.name === chosen)
  const log = previous ? runner?.previousLog : runner?.log
  if (!log) throw bad(withoutLog(runner, previous, `container "${chosen}" in pod "${name}"`))
  return log
}

function withoutLog(runner: ContainerRunner | undefined, previous: boolean, what: string): string {
  if (previous) return `previous terminated ${what} not found`
  return `${what} is waiting to start: ${runner?.state.waiting?.reason ?? 'ContainerCreating'}`
}

function chooseContainer(pod: Pod, container: string | null): string {
  const names = pod.spec.containers.map(({ name }) => name)
  const inits = (pod.spec.initContainers ?? []).map(({ name }) => name)
  const { name } = pod.metadata
  if (container === null) {
    if (names.length === 1) return names[0] ?? ''
    const choice = `choose one of: [${names.join(' ')}]${inits.length > 0 ? ` or one of the init containers: [${inits.join(' ')}]` : ''}`
    throw bad(`a container name must be specified for pod ${name}, ${choice}`)
  }
  if ([...names, ...inits].includes(container)) return container
  throw bad(`container ${container} is not valid for pod ${name}`)
}

const bad = (message: string): ApiError => new ApiError(400, 'BadRequest', message)
