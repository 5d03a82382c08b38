import { definitionsIn } from '../schema/custom-resources.js'
import { RESOURCES } from '../schema/resources.js'
import { type Change, type StoredObject } from '../store/object.js'
import { type Cluster } from './cluster.js'

const BUILT_IN = new Set(RESOURCES.map(({ group }) => group))

/** Lets the store hold the kinds of CustomResourceDefinitions, and names their objects among the assumptions. */
export class CustomKinds {
  constructor(private readonly cluster: Cluster) {
    cluster.store.subscribe('customresourcedefinitions.apiextensions.k8s.io', this, 'definitionChanged')
  }

  definitionChanged({ type, object }: Change): void {
    const { store } = this.cluster
    const definitions = definitionsIn(object).filter(({ group }) => !BUILT_IN.has(group))
    const [first] = definitions
    if (!first) return
    if (type === 'DELETED') return store.undefine(first.key)
    const isNew = !store.holds(first.key)
    store.define(definitions)
    if (isNew) store.subscribe(first.key, this, 'objectChanged')
  }

  objectChanged({ type, object }: Change): void {
    if (type === 'ADDED') this.cluster.assume(`${nameOf(object)} is kept, without effect: nothing acts on its kind`)
  }
}

const nameOf = ({ apiVersion, kind, metadata }: StoredObject): string => `${kind}/${metadata.name} (${apiVersion})`
