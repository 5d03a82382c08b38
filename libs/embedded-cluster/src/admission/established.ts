import { type K8sObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'

/** A CustomResourceDefinition is served as soon as it is there. */
export function established(_store: ObjectStore, object: K8sObject): K8sObject {
  const { names, versions } = object.spec as { names: object; versions: { name: string; storage: boolean }[] }
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }))
  const storedVersions = versions.filter(({ storage }) => storage).map(({ name }) => name)
  return { ...object, status: { acceptedNames: names, storedVersions, conditions } }
}
