import { type Api } from './api.js'
import { type Paths } from './paths.js'
import { chaosMeshPresent, chaosMeshVersion } from './preflight-chaos.js'
import { type Check, type Preflight, type PreflightRequest } from './preflight-check.js'
import { kubernetesVersion, nodesReady } from './preflight-cluster.js'
import { namespacesFree } from './preflight-namespaces.js'
import { rightsGranted } from './preflight-rights.js'

const CHECKS: readonly Check[] = [
  kubernetesVersion,
  nodesReady,
  namespacesFree,
  chaosMeshPresent,
  chaosMeshVersion,
  rightsGranted,
]

/** Asks everything that must be true before a cycle touches a cluster. All reasons are told at once, not the first. */
export async function preflight(api: Api, paths: Paths, request: PreflightRequest): Promise<Preflight> {
  const found = await Promise.all(CHECKS.map((check) => check(api, paths, request)))
  return {
    refusals: found.flatMap((f) => f.refusals),
    hindrances: found.flatMap((f) => f.hindrances ?? []),
    warnings: found.flatMap((f) => f.warnings),
  }
}
