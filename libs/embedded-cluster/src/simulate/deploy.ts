import { bootstrap } from '../api/bootstrap.js'
import { createEngine, type Engine } from '../engine.js'
import { type ImageProfilesInput } from '../images/image-profile.js'
import { definitionOfKind } from '../schema/resources.js'
import { ApiError } from '../store/api-error.js'
import { Client, SimulationRefused } from './client.js'
import { type Manifest } from './plan.js'

/** When virtual time starts, whatever the day. */
const START_MS = Date.UTC(2026, 0, 1)

export interface ClusterOptions {
  /** Three unless told otherwise. */
  readonly nodes?: number
  /** How images behave that are not built in, in the form of `ordeal.yaml`. */
  readonly images?: ImageProfilesInput
}

/** What others need to be there: they come first, and bare pods, which nobody retries, last. */
const FIRST = ['Namespace', 'PriorityClass', 'StorageClass', 'ServiceAccount', 'LimitRange', 'ResourceQuota']
const rank = ({ kind }: Manifest): number => (FIRST.includes(kind) ? FIRST.indexOf(kind) : kind === 'Pod' ? 99 : 50)

/** A new cluster with the objects in it, before anything has happened. Throws SimulationRefused naming every problem. */
export function newCluster(manifests: readonly Manifest[], options: ClusterOptions & { seed: number }): Engine {
  const engine = createEngine({ ...options, startMs: START_MS })
  bootstrap(engine.store)
  bringTo(engine, manifests, [])
  return engine
}

/** Makes the cluster's objects those of a revision: new ones are created, others replaced, and what it lacks deleted. */
export function bringTo(engine: Engine, next: readonly Manifest[], before: readonly Manifest[]): void {
  const client = new Client(engine)
  const kept = new Set(next.map(identity))
  const problems = [
    ...createNamespaces(client, engine, next),
    ...next.toSorted((a, b) => rank(a) - rank(b)).flatMap((object) => attempt(object, () => client.put(object))),
    ...before
      .filter((object) => !kept.has(identity(object)))
      .flatMap((object) => attempt(object, () => client.delete(object))),
  ]
  if (problems.length > 0) throw new SimulationRefused(problems)
}

/** Namespaces that objects name, and that neither are there nor among them. */
function createNamespaces(client: Client, { store }: Engine, objects: readonly Manifest[]): string[] {
  const given = new Set(objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name))
  const namespaced = objects.filter(({ apiVersion, kind }) => definitionOfKind(apiVersion, kind)?.namespaced)
  const named = new Set(namespaced.flatMap(({ metadata }) => metadata.namespace ?? []))
  return [...named].flatMap((name) => {
    if (given.has(name) || store.get('namespaces', null, name)) return []
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    return attempt(namespace, () => client.create(namespace))
  })
}

function attempt({ kind, metadata }: Manifest, write: () => void): string[] {
  try {
    write()
    return []
  } catch (error) {
    if (error instanceof ApiError) return [`${kind}/${metadata.name}: ${error.message}`]
    throw error
  }
}

const identity = ({ apiVersion, kind, metadata }: Manifest): string =>
  [apiVersion, kind, metadata.namespace ?? 'default', metadata.name].join('|')
