import { type ClusterObject } from '@ordeal/kubernetes'

interface Rule {
  readonly host?: string
  readonly http?: { readonly paths?: readonly Path[] }
}
interface Path {
  readonly path?: string
  readonly pathType?: string
  readonly backend?: unknown
}
interface IngressSpec {
  readonly defaultBackend?: unknown
  readonly rules?: readonly Rule[]
  readonly tls?: readonly { readonly hosts?: readonly string[] }[]
}

export const OWN_HOSTS =
  'hosts of Ingresses have names of their own in the sandbox, so that requests of others stay theirs'

/** The host by which the sandbox's Ingresses know what the input calls `host`; null stands for every host. */
export const ownHost = (host: string | null, namespace: string): string => `${host ?? 'any'}.${namespace}.invalid`

export const isIngress = ({ apiVersion, kind }: Pick<ClusterObject, 'apiVersion' | 'kind'>): boolean =>
  kind === 'Ingress' && apiVersion.startsWith('networking.k8s.io/')

/**
 * An Ingress as it stands in a sandbox. A cluster's controller serves the Ingresses of all namespaces at one address, and
 * hosts tell whose a request is: so that a copy neither takes requests from the original nor is asked in its stead, every
 * host is another, and what is for every host (rules without one, a default backend) is for one of the sandbox's own.
 */
export function withOwnHosts(ingress: ClusterObject, namespace: string): ClusterObject {
  const { defaultBackend, rules = [], tls, ...spec } = (ingress.spec ?? {}) as IngressSpec
  const own = rules.map((rule) => ({ ...rule, host: ownHost(rule.host ?? null, namespace) }))
  return {
    ...ingress,
    spec: {
      ...spec,
      rules: defaultBackend === undefined ? own : withRest(own, defaultBackend, ownHost(null, namespace)),
      ...(tls && { tls: tls.map((one) => ({ ...one, hosts: one.hosts?.map((host) => ownHost(host, namespace)) })) }),
    },
  }
}

/** What no path of a host takes, and every other request, goes to the default backend. */
function withRest(rules: readonly (Rule & { host: string })[], backend: unknown, any: string): Rule[] {
  const rest: Path = { path: '/', pathType: 'Prefix', backend }
  const takesAll = ({ path, pathType }: Path): boolean => path === '/' && pathType !== 'Exact'
  const hosts = Map.groupBy([...rules, { host: any }], ({ host }) => host)
  const pathsOf = (same: readonly Rule[]): Path[] => same.flatMap(({ http }) => http?.paths ?? [])
  return [...hosts].map(([host, same]) => {
    const paths = pathsOf(same)
    return { host, http: { paths: paths.some(takesAll) ? paths : [...paths, rest] } }
  })
}
