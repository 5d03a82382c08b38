import { type ContainerRunner } from './container-runner.js'
import { type PodContext } from './pod-context.js'

/** The kubelet's delays between attempts to pull an image. */
const FIRST_MS = 10_000
const MAX_MS = 300_000
const REFERENCE =
  /^[a-z0-9]+([._-]+[a-z0-9]+)*(:\d+)?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[\w][\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$/

/** Why an image never gets to a node: `ErrImagePull` and containerd's words, or `InvalidImageName`. */
export interface PullProblem {
  readonly reason: 'ErrImagePull' | 'InvalidImageName'
  readonly message: string
}

/**
 * Every image is taken to be on every node, but for those that cannot be anywhere: of registries below `.invalid`, a name
 * that is never registered (RFC 2606), and those whose name is none. Null for all others.
 */
export function pullProblem(image: string): PullProblem | null {
  if (!REFERENCE.test(image)) {
    const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`
    return { reason: 'InvalidImageName', message }
  }
  const [registry = '', ...path] = image.split('/')
  if (!/\.invalid(:\d+)?$/.test(registry) || path.length === 0) return null
  const [repository = '', tag = 'latest'] = path.join('/').split(':')
  const asked = `Head "https://${registry}/v2/${repository}/manifests/${tag}": dial tcp: lookup ${registry}: no such host`
  const resolved = `failed to resolve reference "${image}": failed to do request: ${asked}`
  return { reason: 'ErrImagePull', message: `failed to pull and unpack image "${image}": ${resolved}` }
}

/** How long to wait after so many attempts have failed. */
export const pullDelayMs = (failures: number): number => Math.min(FIRST_MS * 2 ** (failures - 1), MAX_MS)

/** What the kubelet says, and shows, when an attempt has failed. */
export function tellPullFailure(pod: PodContext, container: ContainerRunner, { reason, message }: PullProblem): void {
  const { name, image } = container.spec
  container.failedPulls += 1
  container.wait(reason, message)
  if (reason === 'InvalidImageName') {
    pod.record(name, 'Warning', 'InspectFailed', message)
  } else {
    pod.record(name, 'Normal', 'Pulling', `Pulling image "${image}"`)
    pod.record(name, 'Warning', 'Failed', `Failed to pull image "${image}": ${message}`)
  }
  pod.record(name, 'Warning', 'Failed', `Error: ${reason}`)
}

/** The same while it waits for the next; false where there is nothing to say. */
export function tellPullBackOff(pod: PodContext, container: ContainerRunner, message: string): boolean {
  if (container.state.waiting?.reason !== 'ErrImagePull') return false
  const { name, image } = container.spec
  container.wait('ImagePullBackOff', `Back-off pulling image "${image}": ErrImagePull: ${message}`)
  pod.record(name, 'Normal', 'BackOff', `Back-off pulling image "${image}"`)
  pod.record(name, 'Warning', 'Failed', 'Error: ImagePullBackOff')
  return true
}
