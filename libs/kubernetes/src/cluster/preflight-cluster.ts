import { isRefused } from './errors.js'
import { type ClusterObject } from './object.js'
import { FINE, type Check } from './preflight-check.js'

/** Since then a server refuses fields that it does not know, which every write of ours asks it to. */
const LEAST = [1, 25] as const

/** The API server is new enough. A version that cannot be read is said, and is no reason to stop. */
export const kubernetesVersion: Check = async (api) => {
  const { gitVersion } = await api.json<{ gitVersion: string }>({ method: 'GET', path: '/version' })
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? []
  if (major === undefined || minor === undefined) {
    return { refusals: [], warnings: [`the version of the API server cannot be told from '${gitVersion}'`] }
  }
  const [leastMajor, leastMinor] = LEAST
  const isOld = Number(major) < leastMajor || (Number(major) === leastMajor && Number(minor) < leastMinor)
  return isOld
    ? { refusals: [`Kubernetes ${gitVersion} is too old; Ordeal needs ${LEAST.join('.')} or newer`], warnings: [] }
    : FINE
}

interface Node extends ClusterObject {
  readonly spec?: { readonly unschedulable?: boolean }
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] }
}

const takesPods = ({ spec, status }: Node): boolean =>
  spec?.unschedulable !== true && (status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false)

/** Some node takes pods. Whoever may not look at nodes meets a missing one with the first pod. */
export const nodesReady: Check = async (api) => {
  const nodes = await listNodes(() => api.json<{ items: Node[] }>({ method: 'GET', path: '/api/v1/nodes' }))
  if (nodes === null) return FINE
  const ready = nodes.filter(takesPods).length
  const none = `none of its ${nodes.length} nodes is ready and takes pods`
  if (ready === 0) return { refusals: [], hindrances: [none], warnings: [] }
  const alone = 'the cluster has one node that takes pods: what spreading over nodes is worth does not show on it'
  return ready === 1 ? { refusals: [], warnings: [alone] } : FINE
}

async function listNodes(list: () => Promise<{ items: Node[] }>): Promise<readonly Node[] | null> {
  try {
    return (await list()).items
  } catch (error) {
    if (isRefused(error, 403, 404)) return null
    throw error
  }
}
