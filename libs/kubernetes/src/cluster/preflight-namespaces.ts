import { isRefused } from './errors.js'
import { type ClusterObject } from './object.js'
import { FINE, type Check, type Preflight, type WantedNamespace } from './preflight-check.js'

/** Namespaces that hold a cluster together: untouchable, whoever asks. */
const SYSTEM = /^(kube-.*|default|chaos-mesh|chaos-testing|cert-manager|istio-system|ordeal-system)$/

export const isSystemNamespace = (name: string): boolean => SYSTEM.test(name)

/** Each namespace is free, or ours already. */
export const namespacesFree: Check = async (api, _paths, { namespaces }) => {
  const looks = namespaces.map(async (wanted): Promise<Preflight> => {
    const { name } = wanted
    if (isSystemNamespace(name)) return refusal(`${name} is a system namespace, which Ordeal never touches`)
    try {
      const found = await api.json<ClusterObject>({ method: 'GET', path: `/api/v1/namespaces/${name}` })
      return judge(wanted, found)
    } catch (error) {
      // Whoever may not look at namespaces hears of it with the rights.
      if (isRefused(error, 404, 403)) return FINE
      throw error
    }
  })
  return { refusals: (await Promise.all(looks)).flatMap((l) => l.refusals), warnings: [] }
}

const refusal = (words: string): Preflight => ({ refusals: [words], warnings: [] })

function judge({ name, owned }: WantedNamespace, found: ClusterObject): Preflight {
  if (!owned(found)) return refusal(`namespace ${name} is there already and was not made by this cycle`)
  if (found.metadata.deletionTimestamp) return refusal(`namespace ${name} is being removed; try again when it is gone`)
  return FINE
}
