import { type StoredObject } from '../store/object.js'
import { type ResourceDefinition, type ResourceKey } from './resources.js'

/** As much of a CustomResourceDefinition as says where its objects are. */
interface DefinitionSpec {
  readonly group: string
  readonly scope: string
  readonly names: {
    readonly plural: string
    readonly kind: string
    readonly singular?: string
    readonly shortNames?: readonly string[]
    readonly categories?: readonly string[]
  }
  readonly versions: readonly {
    readonly name: string
    readonly served: boolean
    readonly subresources?: { status?: object }
  }[]
}

/** The kinds that a CustomResourceDefinition brings: one for each version that is served, all with the same objects. */
export function definitionsIn(object: StoredObject): ResourceDefinition[] {
  const { group, scope, names, versions } = object.spec as DefinitionSpec
  const { plural, kind, singular = kind.toLowerCase(), shortNames = [], categories = [] } = names
  return versions
    .filter(({ served }) => served)
    .map(({ name, subresources }) => ({
      // No other kind can have this key: the definition's own name holds it.
      key: `${plural}.${group}` as ResourceKey,
      group,
      version: name,
      plural,
      singular,
      kind,
      namespaced: scope === 'Namespaced',
      shortNames,
      categories,
      subresources: subresources?.status ? (['status'] as const) : [],
      hasGeneration: true,
      readOnly: false,
      custom: true,
    }))
}
