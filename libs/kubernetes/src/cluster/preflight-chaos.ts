import { type Api } from './api.js'
import { CHAOS_API } from './chaos.js'
import { isRefused } from './errors.js'
import { type ClusterObject } from './object.js'
import { FINE, type Check } from './preflight-check.js'

/** The first version without the holes of CVE-2025-59358 to -59361. */
const LEAST = [2, 7, 3] as const

/** What every Chaos Mesh has. A fault of another kind is refused by itself where the cluster does not know that. */
const LEAST_KINDS = ['PodChaos', 'NetworkChaos'] as const

/** The kinds of Chaos Mesh are defined. That its controller answers shows with the first dry run. */
export const chaosMeshPresent: Check = async (_api, paths) => {
  const known = await Promise.all(LEAST_KINDS.map((kind) => paths.knows({ apiVersion: CHAOS_API, kind })))
  if (known.every(Boolean)) return FINE
  const missing = LEAST_KINDS.filter((_, index) => !known[index])
  return {
    refusals: [
      missing.length === LEAST_KINDS.length
        ? 'Chaos Mesh is not installed in the cluster (it has no kinds of chaos-mesh.org/v1alpha1); install version 2.7.3 or newer'
        : `Chaos Mesh in the cluster is too old: it does not know ${missing.join(', ')}; install version 2.7.3 or newer`,
    ],
    warnings: [],
  }
}

interface ControllerManager extends ClusterObject {
  readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly { image?: string }[] } } }
}

const MANAGER = 'app.kubernetes.io/part-of=chaos-mesh,app.kubernetes.io/component=controller-manager'
/** Anywhere; else, for those who may not look everywhere, where its own guide installs it. */
const WHEREVER = ['/apis/apps/v1/deployments', '/apis/apps/v1/namespaces/chaos-mesh/deployments']

/** Chaos Mesh is new enough, as far as its own Deployment tells. */
export const chaosMeshVersion: Check = async (api) => {
  const version = await versionIn(api, WHEREVER)
  if (version === null) {
    if (await isBuiltIn(api)) return FINE
    return {
      refusals: [],
      warnings: ['the version of Chaos Mesh cannot be told; versions before 2.7.3 have known security holes'],
    }
  }
  return isOlder(version)
    ? { refusals: [`Chaos Mesh ${version} is too old: versions before 2.7.3 have known security holes`], warnings: [] }
    : FINE
}

/** True on the embedded cluster, as its version says: its kinds are its own, and there is no Chaos Mesh of any version. */
async function isBuiltIn(api: Api): Promise<boolean> {
  const { gitVersion } = await api.json<{ gitVersion: string }>({ method: 'GET', path: '/version' })
  return gitVersion.endsWith('+ordeal')
}

/** Null where the version cannot be told: nobody says it, or says it to us. */
async function versionIn(api: Api, collections: readonly string[]): Promise<string | null> {
  for (const collection of collections) {
    try {
      const path = `${collection}?labelSelector=${encodeURIComponent(MANAGER)}`
      const { items } = await api.json<{ items: ControllerManager[] }>({ method: 'GET', path })
      return items[0] ? versionOf(items[0]) : null
    } catch (error) {
      if (!isRefused(error, 403, 404)) throw error
    }
  }
  return null
}

const versionOf = ({ metadata, spec }: ControllerManager): string | null =>
  textVersion(metadata.labels?.['app.kubernetes.io/version']) ??
  textVersion(spec?.template?.spec?.containers?.[0]?.image?.split(':').at(-1))

const textVersion = (text: string | undefined): string | null => /\d+\.\d+\.\d+/.exec(text ?? '')?.[0] ?? null

function isOlder(version: string): boolean {
  const parts = version.split('.').map(Number)
  const index = LEAST.findIndex((least, place) => parts[place] !== least)
  return index >= 0 && (parts[index] ?? 0) < (LEAST[index] ?? 0)
}
