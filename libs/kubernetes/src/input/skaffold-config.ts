import { posix } from 'node:path'
import { InputError } from '@ordeal/shared'
import { isMap, type Json, type JsonMap, mapAt, mapsAt, textAt, textsAt } from './kubernetes-object.js'
import { offsetAt, parseYamlFile, type TextFile } from './yaml-file.js'

/** One Config document of a Skaffold file. */
export interface SkaffoldConfig {
  readonly file: TextFile
  readonly docIndex: number
  readonly line: number
  readonly name: string | null
  readonly value: JsonMap
}

export const placeOf = (config: SkaffoldConfig, path: readonly string[] = []): string => {
  const yaml = parseYamlFile(config.file)
  const document = yaml.documents[config.docIndex]?.document
  return `${config.file.path}:${document ? yaml.lineAt(offsetAt(document, path)) : config.line}`
}

/** The Config documents of a Skaffold file. Throws InputError when one of them is something else. */
export function readSkaffoldFile(file: TextFile): SkaffoldConfig[] {
  const yaml = parseYamlFile(file)
  const configs = yaml.documents.flatMap(({ value, document }, docIndex) => {
    if (value === null) return []
    return [toConfig({ file, docIndex, line: yaml.lineAt(offsetAt(document, [])) }, value)]
  })
  if (configs.length) return configs
  throw new InputError('there is no Skaffold configuration in it', `${file.path}:1`)
}

function toConfig(at: { file: TextFile; docIndex: number; line: number }, value: Json): SkaffoldConfig {
  if (isMap(value) && (textAt(value, 'apiVersion') ?? '').startsWith('skaffold/') && value.kind === 'Config') {
    return { ...at, name: textAt(mapAt(value, 'metadata'), 'name'), value }
  }
  const remedy = "It begins with 'apiVersion: skaffold/…' and 'kind: Config'"
  throw new InputError('not a Skaffold configuration', `${at.file.path}:${at.line}`, remedy)
}

/** Which configs a config asks for, each with the profiles to use there. */
export interface Requirement {
  readonly file: TextFile
  /** Names of the configs to take of that file; all when empty. */
  readonly configs: readonly string[]
  readonly profiles: readonly string[]
}

/** The files that `requires` names. Throws InputError for remote ones and for what is not there. */
export function requirementsOf(
  config: SkaffoldConfig,
  active: readonly string[],
  files: readonly TextFile[],
): Requirement[] {
  return mapsAt(config.value, 'requires').map((entry, index) => {
    const place = placeOf(config, ['requires', String(index)])
    if (entry.git || entry.googleCloudStorage)
      throw new InputError('a remote module cannot be fetched', place, 'Copy it in')
    return {
      file: requiredFile(config, textAt(entry, 'path'), files, place),
      configs: textsAt(entry, 'configs'),
      profiles: mapsAt(entry, 'activeProfiles').flatMap((profile) => wanted(profile, active)),
    }
  })
}

function wanted(profile: JsonMap, active: readonly string[]): string[] {
  const name = textAt(profile, 'name')
  const by = textsAt(profile, 'activatedBy')
  return name && (!by.length || by.some((b) => active.includes(b))) ? [name] : []
}

function requiredFile(
  config: SkaffoldConfig,
  path: string | null,
  files: readonly TextFile[],
  place: string,
): TextFile {
  if (path === null) return config.file
  const target = posix.join(posix.dirname(config.file.path), path)
  const candidates = /\.ya?ml$/.test(target)
    ? [target]
    : [posix.join(target, 'skaffold.yaml'), posix.join(target, 'skaffold.yml')]
  const found = files.find((f) => candidates.includes(f.path))
  if (found) return found
  throw new InputError(`the required '${path}' is not there`, place, 'Give the folder that holds all modules')
}
