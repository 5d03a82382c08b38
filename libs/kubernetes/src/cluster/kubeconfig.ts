import { TerminalError, type ClusterCredential } from '@ordeal/shared'
import type { KubeConfig } from '@kubernetes/client-node'
import { clientLibrary } from './transport.js'

/** Which cluster of Kubernetes: one that was registered, the one this process stands in, or a context of a kubeconfig. */
export type KubernetesTarget =
  | { readonly kind: 'kubernetes'; readonly name: string; readonly credential: ClusterCredential }
  | { readonly kind: 'kubernetes'; readonly context: string; readonly kubeconfig?: string }

/** As `context`: the cluster that this process runs in as a pod, with the pod's own service account. */
export const IN_CLUSTER = 'in-cluster'

/**
 * The client library's view of a target. Throws TerminalError: `unknown-context` when the kubeconfig has no such
 * context, `not-in-cluster` when this process is no pod.
 */
export async function kubeconfigOf(target: KubernetesTarget): Promise<KubeConfig> {
  const { KubeConfig } = await clientLibrary()
  const config = new KubeConfig()
  if ('credential' in target) return registered(config, target.name, target.credential)
  if (target.context === IN_CLUSTER) return ownPod(config)
  if (target.kubeconfig) config.loadFromFile(target.kubeconfig)
  else config.loadFromDefault()
  if (!config.getContextObject(target.context)) {
    throw new TerminalError(
      'unknown-context',
      `no context '${target.context}': ${contextsOf(config)}. (A service has registered clusters too: POST /v1/clusters)`,
    )
  }
  config.setCurrentContext(target.context)
  return config
}

/** The context that the library makes up where it finds no kubeconfig at all. */
const MADE_UP = 'loaded-context'

function contextsOf(config: KubeConfig): string {
  const names = config.getContexts().map((c) => c.name)
  if (names.every((name) => name === MADE_UP))
    return 'there is no kubeconfig (KUBECONFIG, ~/.kube/config) with contexts'
  return `the kubeconfig has ${names.join(', ')}`
}

function registered(config: KubeConfig, name: string, credential: ClusterCredential): KubeConfig {
  const { server, certificateAuthority: caData, token, clientCertificate: certData, clientKey: keyData } = credential
  const user = { name, token, certData, keyData }
  config.loadFromOptions({
    clusters: [{ name, server, caData, skipTLSVerify: false }],
    users: [user],
    contexts: [{ name, cluster: name, user: name, namespace: credential.namespace }],
    currentContext: name,
  })
  return config
}

/** The files of the pod's account are read anew by the library as Kubernetes renews them. */
function ownPod(config: KubeConfig): KubeConfig {
  config.loadFromCluster()
  const server = config.getCurrentCluster()?.server ?? ''
  if (URL.canParse(server) && config.getCurrentUser()) return config
  throw new TerminalError(
    'not-in-cluster',
    `'${IN_CLUSTER}' is the cluster that Ordeal runs in, but this process is no pod. Name a context of a kubeconfig`,
  )
}

/** The namespace that the context is at home in: where its pool of namespaces is kept, if it has one. */
export const homeOf = (config: KubeConfig): string | null =>
  config.getContextObject(config.getCurrentContext())?.namespace?.trim() || null
