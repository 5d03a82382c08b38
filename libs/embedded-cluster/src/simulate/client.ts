import { deleteObject } from '../api/delete-object.js'
import { mergePatch } from '../api/patch/merge-patch.js'
import { getObject } from '../api/read-objects.js'
import type { ResourcePath } from '../schema/resource-path.js'
import { createObject, updateObject } from '../api/write-object.js'
import { type Engine } from '../engine.js'
import { noKind } from '../schema/refused-kinds.js'
import { definitionOfKind } from '../schema/resources.js'
import { ApiError } from '../store/api-error.js'
import { type Manifest, type ObjectName, type SimulatedAction } from './plan.js'

/** Thrown when the cluster refuses an object or an action: `problems` name each with the API server's words. */
export class SimulationRefused extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

const WRITE = { dryRun: false }

/** The API of a cluster, without HTTP. Every method throws ApiError. */
export class Client {
  constructor(private readonly engine: Engine) {}

  create(object: Manifest): void {
    createObject(this.engine, { ...pathOf(object), name: null }, object, WRITE)
  }

  /** Creates the object, or replaces the one that is there. */
  put(object: Manifest): void {
    const path = pathOf(object)
    const { definition, namespace, name } = path
    if (this.engine.store.get(definition.key, namespace, name)) updateObject(this.engine, path, object, WRITE)
    else this.create(object)
  }

  patch(object: ObjectName, patch: unknown): void {
    const path = pathOf(object)
    updateObject(this.engine, path, mergePatch(getObject(this.engine.store, path), patch), WRITE)
  }

  delete(object: ObjectName): void {
    deleteObject(this.engine.store, pathOf(object), {})
  }

  act(action: SimulatedAction): void {
    if (action.do === 'create') this.create(action.object)
    else if (action.do === 'patch') this.patch(action.object, action.patch)
    else this.delete(action.object)
  }
}

/** Where the object is, by its kind. Throws ApiError 404 for a kind that is not modelled. */
function pathOf({ apiVersion, kind, metadata }: ObjectName): ResourcePath & { name: string } {
  const definition = definitionOfKind(apiVersion, kind)
  if (!definition) throw new ApiError(404, 'NotFound', noKind(apiVersion, kind))
  const namespace = definition.namespaced ? (metadata.namespace ?? 'default') : null
  return { definition, namespace, name: metadata.name, subresource: null }
}
