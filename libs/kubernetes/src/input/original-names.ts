import { type KubernetesObject } from './kubernetes-object.js'
import { type SourcedObject } from './project.js'

interface Transformed {
  readonly object: KubernetesObject
  readonly file: string
  readonly generated: boolean
}

/**
 * The names that objects had in their files, before a kustomization put something before or behind them; null where
 * that cannot be told. Kustomize does not say: it is found by taking the same prefix and suffix off all objects of a
 * kind and file, which must then be just those that the file holds.
 */
export function originalNames(
  objects: readonly Transformed[],
  documents: (file: string) => readonly SourcedObject[],
): (string | null)[] {
  const groups = Map.groupBy(objects, ({ file, object }) => `${file} ${object.kind}`)
  const names = new Map<Transformed, string>()
  for (const group of groups.values()) {
    const [first] = group
    if (!first || first.generated) continue
    const before = documents(first.file).filter(({ object }) => object.kind === first.object.kind)
    for (const [object, name] of matched(
      group,
      before.map(({ object }) => object.metadata.name),
    ))
      names.set(object, name)
  }
  return objects.map((object) => names.get(object) ?? null)
}

function matched(group: readonly Transformed[], before: readonly string[]): [Transformed, string][] {
  const [first] = group
  if (!first) return []
  const known = new Set(before)
  for (const affix of before.flatMap((name) => affixOf(first.object.metadata.name, name))) {
    const bare = group.map((each): [Transformed, string | null] => [each, without(each.object.metadata.name, affix)])
    if (bare.every(([, name]) => name !== null && known.has(name))) return bare as [Transformed, string][]
  }
  // Several prefixes are at work: a folder that is taken twice.
  return group.flatMap((each): [Transformed, string][] => {
    const longest = before
      .filter((name) => affixOf(each.object.metadata.name, name).length)
      .sort((a, b) => b.length - a.length)[0]
    return longest === undefined ? [] : [[each, longest]]
  })
}

interface Affix {
  readonly prefix: string
  readonly suffix: string
}

/** What stands around `inner` in `name`; none when it is not in it. */
function affixOf(name: string, inner: string): Affix[] {
  const at = name.indexOf(inner)
  return at < 0 ? [] : [{ prefix: name.slice(0, at), suffix: name.slice(at + inner.length) }]
}

function without(name: string, { prefix, suffix }: Affix): string | null {
  if (name.length < prefix.length + suffix.length || !name.startsWith(prefix) || !name.endsWith(suffix)) return null
  return name.slice(prefix.length, name.length - suffix.length)
}
