import { posix } from 'node:path'
import picomatch from 'picomatch'
import { InputError } from '@ordeal/shared'
import { valueAt } from './json-pointer.js'
import { isMap, type Json, type JsonMap, mapAt, mapsAt, textAt, textsAt } from './kubernetes-object.js'
import { kustomizationIn } from './kustomization.js'
import { isManifestName } from './manifest-file.js'
import { type Layout, type Part } from './part.js'
import { type ManifestList } from './project.js'
import { placeOf, readSkaffoldFile, requirementsOf, type SkaffoldConfig } from './skaffold-config.js'
import { chartOf } from './skaffold-helm.js'
import { activeProfiles, type Circumstances, profileNames, profilesOf, withProfiles } from './skaffold-profile.js'
import { refuseOtherMeans } from './skaffold-refusals.js'
import { filledIn, imagesOf, type Variables, variablesOf } from './skaffold-template.js'
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
  readonly value: JsonMap
}

/** What is asked of the project: profiles with commas between them, and the cluster, which profiles may look at. */
interface Asked {
  readonly profiles: string | null
  readonly cluster: string | null
}

type SkaffoldLayout = Pick<Layout, 'application' | 'parts' | 'lists' | 'notes'>

/** Reads the Skaffold project whose file lies in `folder`, with the modules that it requires first, as Skaffold does. */
export function readSkaffoldProject(
  files: readonly TextFile[],
  folder: string,
  { profiles, cluster }: Asked,
): SkaffoldLayout {
  const names = ['skaffold.yaml', 'skaffold.yml'].map((name) => posix.join(folder, name))
  const root = files.find((f) => names.includes(f.path))
  if (!root) throw new InputError('there is no skaffold.yaml', folder)
  const variables = variablesOf(files.find((f) => f.path === posix.join(folder, 'skaffold.env')))
  const named = (profiles ?? '').split(',').flatMap((name) => name.trim() || [])
  const configs = collect(files, root, { named, variables, cluster: cluster ?? 'embedded' })
  for (const name of named) requireProfile(configs, name.replace(/^-/, ''), root.path)
  const reader = new PartReader(files, variables)
  const read = configs.map((active) => reader.read(active))
  const own = configs.filter((c) => c.config.file === root)
  return {
    application: own.map((c) => c.config.name).find((name) => name !== null) ?? null,
    parts: read.flatMap((r) => r.parts),
    lists: read.flatMap((r) => r.lists),
    notes: configs.flatMap(buildNotes),
  }
}

function collect(files: readonly TextFile[], root: TextFile, circumstances: Circumstances): Active[] {
  const found = new Map<string, Active>()
  const visit = (file: TextFile, wanted: readonly string[], named: readonly string[]): void => {
    const all = readSkaffoldFile(file)
    for (const config of all.filter((c) => !wanted.length || wanted.includes(c.name ?? ''))) {
      const key = `${file.path}#${config.docIndex}`
      if (found.has(key)) continue
      const profiles = activeProfiles(config, { ...circumstances, named })
      const active = { config, profiles, value: withProfiles(config, profiles) }
      // Marked before its requirements are walked, so that modules that require each other end.
      found.set(key, active)
      for (const next of requirementsOf(config, active.profiles, files)) {
        visit(next.file, next.configs, [...named, ...next.profiles])
      }
      found.delete(key)
      found.set(key, active)
    }
  }
  visit(root, [], circumstances.named)
  return [...found.values()]
}

function requireProfile(configs: readonly Active[], profile: string, place: string): void {
  const known = [...new Set(configs.flatMap((c) => profileNames(c.config)))]
  if (known.includes(profile)) return
  const remedy = known.length ? `Known are: ${known.join(', ')}` : 'It has none; leave --profile out'
  throw new InputError(`there is no profile '${profile}'`, place, remedy)
}

function buildNotes({ config, value }: Active): string[] {
  const images = imagesOf(value).map((image) => image.name)
  if (!images.length) return []
  return [`images are not built (${placeOf(config, ['build'])}): ${images.join(', ')} must be there under these names`]
}

/** Reads what a config deploys: lists of manifests, then Kustomize folders, then Helm releases. No file comes twice. */
class PartReader {
  private readonly taken = new Set<string>()

  constructor(
    private readonly files: readonly TextFile[],
    private readonly variables: Variables,
  ) {}

  read(active: Active): { parts: Part[]; lists: ManifestList[] } {
    refuseOtherMeans(active.config, active.value)
    const rendered = [...this.kustomizations(active), ...this.charts(active)]
    const lists = this.lists(active, rendered.length > 0)
    const parts = lists.map((list): Part => ({ kind: 'documents', files: this.documents(list) }))
    return { parts: [...parts, ...rendered], lists }
  }

  private lists({ config, profiles, value }: Active, isRendered: boolean): ManifestList[] {
    const base = { file: config.file.path, docIndex: config.docIndex, folder: posix.dirname(config.file.path) }
    const lists = LIST_PATHS.flatMap((path) => {
      const list = valueAt(value, path)
      if (list === undefined || list === null) return []
      const patterns = textsAt(valueAt(value, path.slice(0, -1)), path.at(-1) ?? '')
      const origin = originOf({ config, profiles }, path, list)
      const place = placeOf(config, origin)
      return [{ ...base, path: origin, patterns: patterns.map((p) => filledIn(p, this.variables, place)) }]
    })
    if (lists.length || isRendered || isModuleOnly(value)) return lists
    return [{ ...base, path: [...LIST_PATHS[0]], patterns: DEFAULT_PATTERNS }]
  }

  private documents(list: ManifestList): TextFile[] {
    const fresh = filesOf(list, this.files).filter((file) => !this.taken.has(file.path))
    for (const file of fresh) this.taken.add(file.path)
    return [...new Set(fresh)]
  }

  private kustomizations({ config, value }: Active): Part[] {
    return (['manifests', 'deploy'] as const).flatMap((section) => {
      const kustomize = mapAt(value, section).kustomize
      if (kustomize === undefined || kustomize === null) return []
      const own = mapAt(kustomize)
      const paths = Array.isArray(own.paths) ? textsAt(own, 'paths') : [textAt(own, 'path') ?? '.']
      const place = placeOf(config, [section, 'kustomize'])
      if (textsAt(own, 'buildArgs').length) {
        throw new InputError('arguments of `kustomize build` are not understood', place, 'Leave buildArgs out')
      }
      return paths.map((path) => this.kustomization(filledIn(path, this.variables, place), config, place))
    })
  }

  private kustomization(path: string, config: SkaffoldConfig, place: string): Part {
    refuseRemote(path, place)
    const folder = posix.join(posix.dirname(config.file.path), path).replace(/\/$/, '')
    const file = kustomizationIn(this.files, folder)
    if (file !== null) return { kind: 'kustomize', file }
    throw new InputError(`there is no kustomization in '${path}'`, place, 'Check the path; it is relative to that file')
  }

  private charts({ config, value }: Active): Part[] {
    return (['manifests', 'deploy'] as const).flatMap((section) =>
      mapsAt(mapAt(value, section, 'helm'), 'releases').map((release, index) => {
        const place = placeOf(config, [section, 'helm', 'releases', String(index)])
        const folder = posix.dirname(config.file.path)
        const chart = chartOf(release, { folder, place, variables: this.variables, config: value })
        if (this.files.some((f) => f.path === posix.join(chart.chart, 'Chart.yaml'))) return chart
        const remedy =
          'Check chartPath, which is relative to that file; a packed or remote chart must be unpacked there'
        throw new InputError(`there is no chart in '${chart.chart}'`, place, remedy)
      }),
    )
  }
}

/** A config that only brings others together has no manifests of its own. */
const isModuleOnly = (value: JsonMap): boolean =>
  Array.isArray(value.requires) && !isMap(value.manifests) && !isMap(value.deploy)

/** Where the list that is in force stands in the file: in the last profile that gives it, or in the config itself. */
function originOf({ config, profiles }: Omit<Active, 'value'>, path: readonly string[], list: Json): string[] {
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
  if (/^[a-z]+:\/\/|^git@|\.git(\/|$|\?)/.test(pattern))
    throw new InputError(`'${pattern}' is remote and is not fetched`, place, 'Copy it in')
}
