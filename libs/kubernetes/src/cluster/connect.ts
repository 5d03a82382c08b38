import { RetryableError, TerminalError } from '@ordeal/shared'
import type { KubeConfig } from '@kubernetes/client-node'
import { createApi, type Api } from './api.js'
import { type Clock } from './clock.js'
import { ClusterLostError, isRefused } from './errors.js'
import { createObjects, type Objects } from './objects.js'
import { homeOf, kubeconfigOf, type KubernetesTarget } from './kubeconfig.js'
import { createPaths, type Paths } from './paths.js'
import { preflight } from './preflight.js'
import { type Preflight, type PreflightRequest } from './preflight-check.js'
import { clientLibrary, createTransport } from './transport.js'
import { createVirtualClock } from './virtual-clock.js'
import { createWallClock } from './wall-clock.js'
import { createWatch, type Follow } from './watch.js'

/** Which cluster: one engine behind the embedded server, or a real one. */
export type ClusterTarget =
  | {
      readonly kind: 'embedded'
      readonly serverUrl: string
      readonly id: string
      readonly seed: number
      /** How images behave, as `ordeal.yaml` says it. */
      readonly images?: Readonly<Record<string, unknown>> | undefined
    }
  | KubernetesTarget

/** A cluster that is reached and answers. */
export interface Cluster {
  readonly kind: ClusterTarget['kind']
  /** `gitVersion` of its API server. */
  readonly version: string
  /** The namespace that the credential is at home in; null where it has none. */
  readonly home: string | null
  readonly clock: Clock
  readonly objects: Objects
  /** For what `objects` has no word for. Throws as they do. */
  readonly ask: Api['json']
  readonly follow: Follow
  /** What speaks against beginning something in it. */
  readonly preflight: (request: PreflightRequest) => Promise<Preflight>
  /** What it has taken for granted so far, or what could not be found out, in sentences for people. */
  readonly assumptions: () => Promise<readonly string[]>
}

/** A connection may break, but a server that was away has lost its clusters; a real one may be restarting. */
const EMBEDDED_PATIENCE = [50, 250, 1000]
const KUBERNETES_PATIENCE = [200, 500, 1000, 2000, 4000, 8000]

/**
 * Reaches a cluster that is there. Throws ClusterLostError when it does not answer or (embedded) is gone, TerminalError
 * `unknown-context` or `not-in-cluster` when there is no such way to it.
 */
export async function connectCluster(target: ClusterTarget): Promise<Cluster> {
  const config = await configOf(target)
  const patience = target.kind === 'embedded' ? EMBEDDED_PATIENCE : KUBERNETES_PATIENCE
  const api = createApi(await createTransport(config), patience)
  const paths = createPaths(api)
  const follow = await createWatch(config)
  return {
    kind: target.kind,
    version: await versionOf(api),
    home: homeOf(config),
    clock: target.kind === 'embedded' ? createVirtualClock(api) : createWallClock(follow),
    ask: (request) => api.json(request),
    follow,
    objects: createObjects(api, paths),
    preflight: (request) => preflight(api, paths, request),
    assumptions: () => (target.kind === 'embedded' ? assumptionsOf(api) : warningsOf(api, paths)),
  }
}

/**
 * Brings the embedded cluster into being, or finds the one an earlier attempt made; a real one is there already. Throws
 * RetryableError `cluster-unavailable` when the server does not answer: nothing is lost yet, and it may come back.
 */
export async function createCluster(target: ClusterTarget): Promise<void> {
  if (target.kind === 'kubernetes') return
  const { id, seed, serverUrl, images } = target
  const server = await embeddedServer(serverUrl)
  try {
    await server.text({ method: 'POST', path: '/clusters', body: { id, seed, mode: 'virtual', images } })
  } catch (error) {
    if (isRefused(error, 400) && images) {
      throw new TerminalError('image-profile', `ordeal.yaml cannot be used: ${(error as Error).message}`)
    }
    if (!(error instanceof ClusterLostError)) throw error
    throw new RetryableError('cluster-unavailable', `no embedded cluster can be made: ${error.message}`, {
      cause: error,
    })
  }
}

/** Ends the embedded cluster with all that is in it; does nothing to a real one, or when it is gone already. */
export async function deleteCluster(target: ClusterTarget): Promise<void> {
  if (target.kind === 'kubernetes') return
  const server = await embeddedServer(target.serverUrl)
  try {
    await server.text({ method: 'DELETE', path: `/clusters/${target.id}` })
  } catch (error) {
    if (!isRefused(error, 404) && !(error instanceof ClusterLostError)) throw error
  }
}

const configOf = (target: ClusterTarget): Promise<KubeConfig> =>
  target.kind === 'embedded' ? plainConfig(`${target.serverUrl}/clusters/${target.id}`) : kubeconfigOf(target)

async function plainConfig(server: string): Promise<KubeConfig> {
  const { KubeConfig } = await clientLibrary()
  const config = new KubeConfig()
  // Plain HTTP has no certificate to verify; the client library wants to hear it.
  config.loadFromClusterAndUser({ name: 'embedded', server, skipTLSVerify: true }, { name: 'ordeal' })
  return config
}

const embeddedServer = async (url: string): Promise<Api> =>
  createApi(await createTransport(await plainConfig(url)), EMBEDDED_PATIENCE)

const assumptionsOf = async (api: Api): Promise<readonly string[]> =>
  (await api.json<{ assumptions: string[] }>({ method: 'GET', path: '' })).assumptions

const warningsOf = async (api: Api, paths: Paths): Promise<readonly string[]> =>
  (await preflight(api, paths, { namespaces: [], needs: [] })).warnings

async function versionOf(api: Api): Promise<string> {
  try {
    return (await api.json<{ gitVersion: string }>({ method: 'GET', path: '/version' })).gitVersion
  } catch (error) {
    if (isRefused(error, 404)) throw new ClusterLostError('the cluster is not there any more', error)
    throw error
  }
}
