import { type Graph, type Probe, type Route, type SteadyStateDraft } from '@ordeal/shared'

type Through = NonNullable<Extract<Probe, { kind: 'http' }>['through']>

/** By which rule of an Ingress users' requests come to a service. */
export interface Door {
  readonly port: number
  readonly through: Through
}

/** How the host is asked for that a wildcard stands for. */
const ANY_LABEL = 'any'

const isBelow = (path: string, { path: root, exact }: Pick<Route, 'path' | 'exact'>): boolean =>
  path === root || (!exact && path.startsWith(root.endsWith('/') ? root : `${root}/`))

const routesTo = ({ routes = [] }: Graph, service: string): Route[] =>
  routes
    .filter((route) => route.service === service && route.opaque === undefined)
    .toSorted((a, b) => a.path.length - b.path.length)

/** The path at which users meet a service first; `/` where no Ingress says another. */
export const pathOf = (graph: Graph, service: string): string => routesTo(graph, service)[0]?.path ?? '/'

/** The way through an Ingress by which a request for the path comes to the service and to no other; null without one. */
export function doorTo(graph: Graph, service: string, path: string): Door | null {
  const route = routesTo(graph, service).find((one) => isBelow(path, one) && !isTakenBefore(graph, one, path))
  if (!route) return null
  const host = route.host?.replace(/^\*/, ANY_LABEL) ?? null
  return { port: route.port, through: { ingress: route.ingress, host } }
}

/** Whether a longer rule of the same host leads the path to another service. */
const isTakenBefore = ({ routes = [] }: Graph, { host, path: own, service }: Route, path: string): boolean =>
  routes.some((r) => r.host === host && r.service !== service && r.path.length >= own.length && isBelow(path, r))

/** In sentences, which services users reach through Ingresses but are asked directly, and why. */
export function passedDoors({ routes = [] }: Graph, states: readonly Pick<SteadyStateDraft, 'probe'>[]): string[] {
  const direct = new Set(
    states.flatMap(({ probe }) => (probe.kind === 'http' && !probe.through ? [`Service/${probe.service}`] : [])),
  )
  const passed = routes.flatMap(({ ingress, service, opaque }) =>
    opaque !== undefined && direct.has(service) ? [passing(service, ingress, opaque)] : [],
  )
  return [...new Set(passed)]
}

/** That requests go around an Ingress, and why. */
export const passing = (service: string, ingress: string, why: string): string =>
  `requests go to ${service} itself, not through ${ingress}: ${why}`
