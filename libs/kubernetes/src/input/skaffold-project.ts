import { posix } from 'node:path'
import picomatch from 'picomatch'
import { InputError } from '@ordeal/shared'
import { valueAt } from './json-pointer.js'
import { isMap, type Json, type JsonMap, mapAt } from './kubernetes-object.js'
import { isManifestName, readManifestFile } from './manifest-file.js'
import { type ManifestList, type SourcedObject } from './project.js'
import { placeOf, readSkaffoldFile, requirementsOf, type SkaffoldConfig, textsAt } from './skaffold-config.js'
import { profileNames, profilesOf, withProfiles } from './skaffold-profile.js'
import { type TextFile } from './yaml-file.js'

/** Where a config lists manifests: since v3 the first, in v2 the second. */
const LIST_PATHS = [
  ['manifests', 'rawYaml'],
  ['deploy', 'kubectl', 'manifests'],
] as const

/** What a config without any list means. */
const DEFAULT_PATTERNS = ['k8s/*.yaml']

/** A config with the profiles that are active in it. */
interface Active {
  readonly config: SkaffoldConfig
  readonly profiles: readonly string[]
}

/** Reads the Skaffold project whose file lies in `folder`, with the modules that it requires first, as Skaffold does. */
export function readSkaffoldProject(
  files: readonly TextFile[],
  folder: string,
  profile: string | null,
): { application: string | null; objects: SourcedObject[]; lists: ManifestList[] } {
  const names = ['skaffold.yaml', 'skaffold.yml'].map((name) => posix.join(folder, name))
  const root = files.find((f) => names.includes(f.path))
  if (!root) throw new InputError('there is no skaffold.yaml', folder)
  const configs = collect(files, root, profile)
  if (profile !== null) requireProfile(configs, profile, root.path)
  const lists = configs.flatMap((active) => listsOf(active))
  const taken = new Map(lists.flatMap((list) => filesOf(list, files)).map((file) => [file.path, file]))
  const own = configs.filter((c) => c.config.file === root)
  return {
    application: own.map((c) => c.config.name).find((name) => name !== null) ?? null,
    objects: [...taken.values()].flatMap(readManifestFile),
    lists,
  }
}

function collect(files: readonly TextFile[], root: TextFile, profile: string | null): Active[] {
  const found = new Map<string, Active>()
  const visit = (file: TextFile, wanted: readonly string[], profiles: readonly string[]): void => {
    const all = readSkaffoldFile(file)
    for (const config of all.filter((c) => !wanted.length || wanted.includes(c.name ?? ''))) {
      const key = `${file.path}#${config.docIndex}`
      if (found.has(key)) continue
      const active = { config, profiles: profiles.filter((p) => profileNames(config).includes(p)) }
      // Marked before its requirements are walked, so that modules that require each other end.
      found.set(key, active)
      for (const next of requirementsOf(config, active.profiles, files)) {
        visit(next.file, next.configs, [...profiles, ...next.profiles])
      }
      found.delete(key)
      found.set(key, active)
    }
  }
  visit(root, [], profile === null ? [] : [profile])
  return [...found.values()]
}

function requireProfile(configs: readonly Active[], profile: string, place: string): void {
  if (configs.some((c) => c.profiles.includes(profile))) return
  const known = [...new Set(configs.flatMap((c) => profileNames(c.config)))]
  const remedy = known.length ? `Known are: ${known.join(', ')}` : 'It has none; leave --profile out'
  throw new InputError(`there is no profile '${profile}'`, place, remedy)
}

function listsOf({ config, profiles }: Active): ManifestList[] {
  const value = withProfiles(config, profiles)
  refuseOtherRenderers(config, value)
  const base = { file: config.file.path, docIndex: config.docIndex, folder: posix.dirname(config.file.path) }
  const lists = LIST_PATHS.flatMap((path) => {
    const list = valueAt(value, path)
    if (list === undefined || list === null) return []
    return [
      {
        ...base,
        path: originOf({ config, profiles }, path, list),
        patterns: textsAt(valueAt(value, path.slice(0, -1)), path.at(-1) ?? ''),
      },
    ]
  })
  if (lists.length || isModuleOnly(value)) return lists
  return [{ ...base, path: [...LIST_PATHS[0]], patterns: DEFAULT_PATTERNS }]
}

/** A config that only brings others together has no manifests of its own. */
const isModuleOnly = (value: JsonMap): boolean =>
  Array.isArray(value.requires) && !isMap(value.manifests) && !isMap(value.deploy)

function refuseOtherRenderers(config: SkaffoldConfig, value: JsonMap): void {
  const manifests = mapAt(value, 'manifests')
  const deploy = mapAt(value, 'deploy')
  const sections: [string, Json | undefined, string[]][] = [
    ['Kustomize folders', manifests.kustomize ?? deploy.kustomize, ['manifests', 'kustomize']],
    ['Helm releases', manifests.helm ?? mapAt(deploy, 'helm').releases, ['manifests', 'helm']],
    ['kpt packages', manifests.kpt ?? deploy.kpt, ['manifests', 'kpt']],
  ]
  for (const [what, section, path] of sections) {
    if (section === undefined || section === null) continue
    throw new InputError(`${what} in a Skaffold project cannot be read yet; that comes later`, placeOf(config, path))
  }
}

/** Where the list that is in force stands in the file: in the last profile that gives it, or in the config itself. */
function originOf({ config, profiles }: Active, path: readonly string[], list: Json): string[] {
  const same = (value: Json | undefined): boolean => JSON.stringify(value) === JSON.stringify(list)
  const candidates = profilesOf(config, profiles).flatMap(({ profile, index }) => {
    const patches = Array.isArray(profile.patches) ? profile.patches : []
    const own = ['profiles', String(index)]
    return [[...own, ...path], ...patches.map((_, i) => [...own, 'patches', String(i), 'value'])]
  })
  return candidates.reverse().find((candidate) => same(valueAt(config.value, candidate))) ?? [...path]
}

const isPattern = (path: string): boolean => /[*?[{]/.test(path)

function filesOf(list: ManifestList, files: readonly TextFile[]): TextFile[] {
  return list.patterns.flatMap((pattern, index) => {
    const place = `${list.file} (${list.path.join('.')}[${index}])`
    refuseRemote(pattern, place)
    const path = posix.join(list.folder, pattern).replace(/\/$/, '')
    const found = files
      .filter((f) => isManifestName(f.path) && takes(path, f.path))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
    if (found.length || isPattern(pattern)) return found
    throw new InputError(`the manifest '${pattern}' is not there`, place, 'Check the path; it is relative to that file')
  })
}

/** A pattern names a file, a folder (with all below it), or several of them. */
export function takes(pattern: string, path: string): boolean {
  if (path === pattern || path.startsWith(`${pattern}/`)) return true
  return isPattern(pattern) && picomatch.isMatch(path, pattern)
}

function refuseRemote(pattern: string, place: string): void {
  if (/^[a-z]+:\/\//.test(pattern))
    throw new InputError(`'${pattern}' is remote and is not fetched`, place, 'Copy it in')
  if (pattern.includes('{{'))
    throw new InputError(`'${pattern}' is a template of the environment`, place, 'Write the path out')
}
