import { posix } from 'node:path'
import { type Setting } from '@ordeal/renderer'
import { InputError } from '@ordeal/shared'
import { isMap, type Json, type JsonMap, mapAt, textAt, textsAt } from './kubernetes-object.js'
import { type ChartPart } from './part.js'
import { filledIn, imagesOf, imageVariables, type Variables } from './skaffold-template.js'
import { type TextFile } from './yaml-file.js'

/** Where a release is asked for, and by what. */
interface Asked {
  /** Folder of the Skaffold file, to which paths are relative. */
  readonly folder: string
  readonly place: string
  readonly variables: Variables
  /** The whole config, for its images. */
  readonly config: JsonMap
}

/** Fields that ask for what is not fetched or not run, each with the reason. */
const REFUSED: Record<string, string> = {
  remoteChart: 'a remote chart is not fetched',
  repo: "a chart's repository is not asked",
  useHelmSecrets: 'helm-secrets is a program that is not run',
}

/** The chart that an entry of `helm.releases` installs. Throws InputError for what cannot be had. */
export function chartOf(release: JsonMap, asked: Asked): ChartPart {
  const { folder, place } = asked
  for (const [field, reason] of Object.entries(REFUSED)) {
    if (release[field]) throw new InputError(reason, place, 'Copy the chart in, and name its folder with chartPath')
  }
  const [name, chartPath] = [field(release, 'name', asked), field(release, 'chartPath', asked)]
  if (!name || !chartPath) throw new InputError('a Helm release without a name or a chartPath', place)
  const withImages = { ...asked, variables: new Map([...asked.variables, ...imageVariables(imagesOf(asked.config))]) }
  const overrides = overridesOf(release, asked)
  const values = textsAt(release, 'valuesFiles').map((file) =>
    posix.join(folder, filledIn(file, withImages.variables, place)),
  )
  return {
    kind: 'helm',
    chart: posix.join(folder, chartPath).replace(/\/$/, ''),
    name,
    namespace: field(release, 'namespace', asked) || 'default',
    values: [...overrides.map((f) => f.path), ...values],
    set: settingsOf(release, withImages),
    extra: overrides,
    place,
  }
}

const field = (release: JsonMap, name: string, { variables, place }: Asked): string =>
  filledIn(textAt(release, name) ?? '', variables, place)

/** Skaffold hands `overrides` over as the first values file. */
function overridesOf(release: JsonMap, { place }: Asked): TextFile[] {
  if (!isMap(release.overrides)) return []
  return [{ path: `overrides of ${place}`, content: JSON.stringify(release.overrides) }]
}

/** In the order in which Skaffold hands them over: plain values, files, templates; by key within each. */
function settingsOf(release: JsonMap, { folder, variables, place, config }: Asked): Setting[] {
  const sorted = (name: string): [string, string][] =>
    flat(mapAt(release, name), '').sort(([a], [b]) => (a < b ? -1 : 1))
  const set = ([key, value]: [string, string]): Setting => ({ how: 'set', text: `${key}=${value}` })
  return [
    ...artifactOverrides(release, config),
    ...sorted('setValues').map(set),
    ...sorted('setFiles').map(([key, file]): Setting => ({ how: 'file', text: `${key}=${posix.join(folder, file)}` })),
    ...sorted('setValueTemplates').map(([key, value]) =>
      set([filledIn(key, variables, place), filledIn(value, variables, place).replace(/@$/, '')]),
    ),
  ]
}

/** Skaffold's older way to hand over images: a value for each, of one piece or of repository and tag. */
function artifactOverrides(release: JsonMap, config: JsonMap): Setting[] {
  const images = imagesOf(config)
  const inPieces = isMap(mapAt(release, 'imageStrategy').helm)
  return flat(mapAt(release, 'artifactOverrides'), '').flatMap(([key, name]): Setting[] => {
    const tag = images.find((image) => image.name === name)?.tag ?? 'latest'
    if (!inPieces) return [{ how: 'string', text: `${key}=${name}:${tag}` }]
    return [
      { how: 'string', text: `${key}.repository=${name}` },
      { how: 'string', text: `${key}.tag=${tag}` },
    ]
  })
}

/** Nested maps and lists as keys with dots and indices. */
function flat(value: Json, key: string): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item, i) => flat(item, `${key}[${i}]`))
  if (!isMap(value)) return [[key, value === null ? 'null' : String(value)]]
  return Object.entries(value).flatMap(([name, item]) => flat(item, key ? `${key}.${name}` : name))
}
