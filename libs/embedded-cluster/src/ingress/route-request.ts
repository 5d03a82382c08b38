import { type StoredObject } from '../store/object.js'

/** A service and one of its ports, by number or name. */
export interface IngressBackend {
  readonly service?: { readonly name: string; readonly port?: { readonly number?: number; readonly name?: string } }
}
interface IngressPath {
  readonly path?: string
  readonly pathType: string
  readonly backend: IngressBackend
}
interface IngressRule {
  readonly host?: string
  readonly http?: { readonly paths: readonly IngressPath[] }
}
export interface Ingress extends StoredObject {
  spec: {
    readonly defaultBackend?: IngressBackend
    readonly rules?: readonly IngressRule[]
    readonly tls?: unknown
  }
  status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] } }
}

/** Where a request goes: the Ingress that says so, and the backend. */
export interface IngressRoute {
  readonly ingress: Ingress
  readonly backend: IngressBackend
}

const EXACT_HOST = 2
const WILDCARD_HOST = 1
const ANY_HOST = 0

/**
 * Where Ingresses send a request for `host` and `path`, as networking.k8s.io/v1 says: the most specific host decides
 * (exact, then wildcard, then none); among its paths the longest that matches, an exact one before a prefix; among equal
 * ones the oldest Ingress. What no path matches goes to the default backend of an Ingress with that host, else to that of
 * the oldest Ingress without rules. `ingresses` are in order of their creation. Null where nobody takes the request.
 */
export function routeRequest(ingresses: readonly Ingress[], host: string, path: string): IngressRoute | null {
  const hosts = ingresses.flatMap((ingress) =>
    (ingress.spec.rules ?? []).map((rule) => ({ ingress, rule, rank: hostRank(rule.host ?? '', host) })),
  )
  const best = Math.max(-1, ...hosts.map(({ rank }) => rank))
  const own = best < 0 ? [] : hosts.filter(({ rank }) => rank === best)
  const matches = own.flatMap(({ ingress, rule }) =>
    (rule.http?.paths ?? []).filter((one) => pathMatches(one, path)).map((one) => ({ ingress, path: one })),
  )
  const [first] = matches.toSorted((a, b) => weight(b.path) - weight(a.path))
  if (first) return { ingress: first.ingress, backend: first.path.backend }
  return fallback([...own.map(({ ingress }) => ingress), ...ingresses.filter(hasNoRules)])
}

const hasNoRules = ({ spec }: Ingress): boolean => !spec.rules?.length

function fallback(ingresses: readonly Ingress[]): IngressRoute | null {
  const ingress = ingresses.find(({ spec }) => spec.defaultBackend)
  return ingress?.spec.defaultBackend ? { ingress, backend: ingress.spec.defaultBackend } : null
}

/** How specifically a rule means the host; below zero where it does not. A wildcard stands for one label. */
function hostRank(rule: string, host: string): number {
  if (rule === '') return ANY_HOST
  if (rule === host) return EXACT_HOST
  const dot = host.indexOf('.')
  return rule.startsWith('*.') && dot > 0 && host.slice(dot) === rule.slice(1) ? WILDCARD_HOST : -1
}

/** Longer paths first; of two equal ones the exact one. */
const weight = ({ path = '', pathType }: IngressPath): number => 2 * path.length + (pathType === 'Exact' ? 1 : 0)

/** A prefix means whole elements of the path; what is left to the implementation is a prefix here. */
function pathMatches({ path = '/', pathType }: IngressPath, asked: string): boolean {
  if (pathType === 'Exact') return asked === path
  const prefix = path.replace(/\/+$/, '')
  return asked === prefix || asked.startsWith(`${prefix}/`)
}
