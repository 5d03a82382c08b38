import { type Graph } from '@ordeal/shared'
import { idOf, type KubernetesObject } from '../input/kubernetes-object.js'
import { graphLinks, type Link, linksOf } from './links.js'

/** What a question about some objects of an application needs to know. */
export interface Slice {
  /** Those objects, what they call, and the ways by which users' requests come to them. */
  readonly graph: Graph
  /** The manifests of those objects and of what belongs to them; of neighbours the graph tells enough. */
  readonly objects: KubernetesObject[]
  /** Relations among all that the slice holds. */
  readonly links: Link[]
}

/**
 * The part of an application that a question about some of its objects needs: they themselves with all that belongs to
 * them (services, configuration, claims, autoscalers, budgets, policies, routes), what they call directly, and whoever
 * calls them, up to the users. Ids that are not there are left out; without any, the slice is empty.
 */
export function sliceAround(graph: Graph, objects: readonly KubernetesObject[], about: readonly string[]): Slice {
  const links = linksOf(graph, objects)
  const known = new Set(objects.map(idOf))
  const { own, held } = heldBy(
    about.filter((id) => known.has(id)),
    links,
  )
  return {
    graph: partOf(graph, held),
    objects: objects.filter((o) => own.has(idOf(o))),
    links: links.filter((l) => held.has(l.from) && held.has(l.to)),
  }
}

/** The same of the graph alone, for whoever asks about workloads and services and needs no manifests. */
export function graphAround(graph: Graph, about: readonly string[]): Graph {
  const known = new Set([...graph.workloads, ...graph.services].map((o) => o.id))
  const { held } = heldBy(
    about.filter((id) => known.has(id)),
    graphLinks(graph),
  )
  return partOf(graph, held)
}

interface Held {
  /** The objects of the question, with what belongs to them. */
  readonly own: ReadonlySet<string>
  /** Those, whoever calls them, and what they call. */
  readonly held: ReadonlySet<string>
}

function heldBy(about: readonly string[], links: readonly Link[]): Held {
  const centre = withWorkloads(about, links)
  const own = new Set([...centre, ...belongingTo(centre, links)])
  return { own, held: new Set([...own, ...callersOf(own, links), ...calleesOf(own, links)]) }
}

function partOf(graph: Graph, held: ReadonlySet<string>): Graph {
  const routes = (graph.routes ?? []).filter((r) => held.has(r.ingress) && held.has(r.service))
  return {
    application: graph.application,
    workloads: graph.workloads.filter((w) => held.has(w.id)),
    services: graph.services.filter((s) => held.has(s.id)),
    edges: graph.edges.filter((e) => held.has(e.from) && held.has(e.to)),
    ...(routes.length > 0 && { routes }),
    entryPoints: graph.entryPoints.filter((id) => held.has(id)),
  }
}

/** A question about a service is one about the workloads behind it, and one about settings about those that read them. */
function withWorkloads(about: readonly string[], links: readonly Link[]): Set<string> {
  const ids = new Set(about)
  const behind = links.filter((l) => l.kind !== 'calls' && l.kind !== 'routes' && ids.has(l.from)).map((l) => l.to)
  return new Set([...about, ...behind])
}

const belongingTo = (centre: ReadonlySet<string>, links: readonly Link[]): string[] =>
  links.filter((l) => l.kind !== 'calls' && centre.has(l.to)).map((l) => l.from)

/** Services that are called directly, with the workloads behind them. */
function calleesOf(own: ReadonlySet<string>, links: readonly Link[]): Set<string> {
  const called = new Set(links.filter((l) => l.kind === 'calls' && own.has(l.from)).map((l) => l.to))
  const behind = links.filter((l) => l.kind === 'selects' && called.has(l.from)).map((l) => l.to)
  return new Set([...called, ...behind])
}

/** Whoever calls them, and so on up to where users come in. */
function callersOf(own: ReadonlySet<string>, links: readonly Link[]): Set<string> {
  const leading = links.filter((l) => l.kind === 'calls' || l.kind === 'selects' || l.kind === 'routes')
  const sources = new Map<string, string[]>()
  for (const { from, to } of leading) sources.set(to, [...(sources.get(to) ?? []), from])
  const found = new Set<string>()
  const open = [...own]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const source of sources.get(id) ?? []) {
      if (!found.has(source)) open.push(source)
      found.add(source)
    }
  }
  return found
}
