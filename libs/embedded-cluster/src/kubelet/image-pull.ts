import { type Container } from '../controllers/objects.js'

const FIRST_MS = 10_000
const MAX_MS = 300_000

/** What the status of a container says while it cannot have its image. */
export interface Waiting {
  readonly reason: string
  readonly message: string
}
interface Said {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** One look for an image that is not to be had: what is said about it, and what the next look will show. */
export interface Look {
  readonly events: readonly Said[]
  readonly found: Waiting
}

/**
 * Looks for a container's image. Every image is taken to be on the node, but one whose name cannot be one, and one of a
 * host below `.invalid`, which nobody can reach (RFC 2606). The kubelet tries to pull that again after 10 s, doubling to
 * 5 min.
 */
export class ImagePull {
  private delayMs = 0
  private notBeforeMs = 0
  private error: Waiting | null = null

  /** Null when the image is there. */
  look({ image }: Container, nowMs: number): Look | null {
    const invalid = nameProblem(image)
    if (invalid !== null) return unnamed(image, invalid)
    if (!isUnreachable(image)) return null
    return this.error && nowMs < this.notBeforeMs ? backOff(image, this.error) : this.pull(image, nowMs)
  }

  private pull(image: string, nowMs: number): Look {
    this.delayMs = Math.min(this.delayMs === 0 ? FIRST_MS : 2 * this.delayMs, MAX_MS)
    this.notBeforeMs = nowMs + this.delayMs
    this.error = { reason: 'ErrImagePull', message: pullError(image) }
    const { reason, message } = this.error
    return {
      events: [
        { type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"` },
        failed(`Failed to pull image "${image}": ${message}`),
        failed(`Error: ${reason}`),
      ],
      found: this.error,
    }
  }
}

const failed = (message: string): Said => ({ type: 'Warning', reason: 'Failed', message })

function unnamed(image: string, problem: string): Look {
  const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${problem}`
  return {
    events: [{ type: 'Warning', reason: 'InspectFailed', message }, failed('Error: InvalidImageName')],
    found: { reason: 'InvalidImageName', message },
  }
}

function backOff(image: string, { reason, message }: Waiting): Look {
  const said = `Back-off pulling image "${image}"`
  return {
    events: [{ type: 'Normal', reason: 'BackOff', message: said }, failed('Error: ImagePullBackOff')],
    found: { reason: 'ImagePullBackOff', message: `${said}: ${reason}: ${message}` },
  }
}

/** containerd's words. */
function pullError(image: string): string {
  const [, host = '', path = '', tag = 'latest'] = /^([^/]+)\/(.+?)(?::([^:@/]+))?$/.exec(image) ?? []
  const url = `https://${host}/v2/${path}/manifests/${tag}`
  return (
    `failed to pull and unpack image "${image}": failed to resolve reference "${image}": failed to do request: ` +
    `Head "${url}": dial tcp: lookup ${host.replace(/:\d+$/, '')} on 10.96.0.10:53: no such host`
  )
}

const isUnreachable = (image: string): boolean => /^([^/]+\.)?invalid(:\d+)?\//.test(image)

const DOMAIN = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::[0-9]+)?/)?'
const PATH = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const NAME = new RegExp(`^${DOMAIN}${PATH}(?:/${PATH})*(?::[\\w][\\w.-]{0,127})?(?:@[a-z0-9+.-]+:[0-9a-fA-F]{32,})?$`)

/** Why a text is no name of an image, in the words of its parser; null when it is one. */
function nameProblem(image: string): string | null {
  if (NAME.test(image)) return null
  const repository = image.replace(/[:@].*$/, '')
  if (!NAME.test(image.toLowerCase()) || repository === repository.toLowerCase()) return 'invalid reference format'
  const full = repository.includes('/') ? repository : `library/${repository}`
  return `invalid reference format: repository name (${full}) must be lowercase`
}
