import { type Api } from './api.js'
import { isRefused, RefusedError } from './errors.js'
import { type Collection, type ObjectRef } from './object.js'

interface Resource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

/** API paths of kinds, from the server's own discovery documents (each asked for once). */
export interface Paths {
  object(ref: ObjectRef): Promise<string>
  /** Without the query. */
  collection(of: Pick<Collection, 'apiVersion' | 'kind' | 'namespace'>): Promise<string>
  namespaced(of: Pick<ObjectRef, 'apiVersion' | 'kind'>): Promise<boolean>
}

export function createPaths(api: Api): Paths {
  const known = new Map<string, Resource[]>()
  const root = (apiVersion: string) => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`)

  const resourcesOf = async (apiVersion: string): Promise<Resource[]> => {
    const cached = known.get(apiVersion)
    if (cached) return cached
    try {
      const { resources } = await api.json<{ resources: Resource[] }>({ method: 'GET', path: root(apiVersion) })
      known.set(apiVersion, resources)
      return resources
    } catch (error) {
      if (isRefused(error, 404)) return []
      throw error
    }
  }
  const resourceOf = async ({ apiVersion, kind }: { apiVersion: string; kind: string }): Promise<Resource> => {
    const found = (await resourcesOf(apiVersion)).find((r) => r.kind === kind && !r.name.includes('/'))
    if (!found) throw new RefusedError(404, 'UnknownKind', `the cluster does not know ${kind} of ${apiVersion}`)
    return found
  }
  const collection: Paths['collection'] = async (of) => {
    const resource = await resourceOf(of)
    const scope = resource.namespaced && of.namespace ? `/namespaces/${encodeURIComponent(of.namespace)}` : ''
    return `${root(of.apiVersion)}${scope}/${resource.name}`
  }
  return {
    collection,
    object: async ({ apiVersion, kind, metadata }) =>
      `${await collection({ apiVersion, kind, namespace: metadata.namespace })}/${encodeURIComponent(metadata.name)}`,
    namespaced: async (of) => (await resourceOf(of)).namespaced,
  }
}
