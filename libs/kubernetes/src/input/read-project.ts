import { posix } from 'node:path'
import { type Bundle, InputError } from '@ordeal/shared'
import { idOf, stringsAt } from './kubernetes-object.js'
import { isManifestName } from './manifest-file.js'
import { type Form, type ManifestList, type Project, type ProjectOptions, type SourcedObject } from './project.js'
import { readRawObjects } from './raw-project.js'
import { readSkaffoldProject } from './skaffold-project.js'
import { type TextFile } from './yaml-file.js'

interface Read {
  readonly application: string | null
  readonly objects: readonly SourcedObject[]
  readonly lists: readonly ManifestList[]
}

/**
 * The application that a bundle's files describe, rendered where its form asks for it. Reading a patched bundle with the
 * same options renders it anew. Throws InputError, with file and line where there is one, for what cannot be read and
 * when there is no object at all.
 */
export async function readProject(bundle: Bundle, options: ProjectOptions): Promise<Project> {
  return Promise.resolve(readPlainProject(bundle, options))
}

/** The same, at once, for a project whose objects all stand in its files as they are. */
export function readPlainProject(bundle: Bundle, options: ProjectOptions): Project {
  const folder = subfolder(bundle, options.subpath)
  const form = formOf(bundle, folder)
  refuseIdleOptions(form, options)
  const read = readers[form]({ files: bundle.files, folder, options })
  refuseDuplicates(read.objects)
  if (!read.objects.length) throw noObject(bundle, folder)
  return {
    application: read.application ?? nameOf(folder, read.objects, options.application ?? null),
    form,
    objects: read.objects,
    files: bundle.files,
    lists: read.lists,
    notes: [],
  }
}

interface Input {
  readonly files: readonly TextFile[]
  readonly folder: string
  readonly options: ProjectOptions
}

const later = (what: string) => (): never => {
  throw new InputError(`${what} cannot be read yet; that comes later`, null, 'Render it to plain manifests first')
}

const readers: Record<Form, (input: Input) => Read> = {
  raw: ({ files, folder }) => ({
    application: null,
    objects: readRawObjects(files.filter((f) => isBelow(f.path, folder))),
    lists: [],
  }),
  skaffold: ({ files, folder, options }) => readSkaffoldProject(files, folder, options.profile),
  kustomize: later('a Kustomize folder'),
  helm: later('a Helm chart'),
}

/** An option that the form knows nothing of is a mistake, and would be ignored in silence. */
function refuseIdleOptions(form: Form, { profile, values }: ProjectOptions): void {
  if (profile !== null && form !== 'skaffold') {
    throw new InputError(`there is no Skaffold project, so no profile '${profile}'`, null, 'Leave --profile out')
  }
  if (values.length && form !== 'helm') {
    throw new InputError(`there is no Helm chart, so no values file '${values[0]}'`, null, 'Leave --values out')
  }
}

const isBelow = (path: string, folder: string): boolean => folder === '.' || path.startsWith(`${folder}/`)

function subfolder(bundle: Bundle, subpath: string | null): string {
  const folder = posix.normalize(subpath ?? '.').replace(/\/$/, '')
  if (folder.startsWith('..') || folder.startsWith('/')) {
    throw new InputError(`'${subpath}' leads out of the input`, null, 'Name a folder inside it with --subpath')
  }
  if (bundle.files.some((f) => isBelow(f.path, folder))) return folder
  throw new InputError(`there is no folder '${subpath}' in the input`, null, 'Check --subpath')
}

function formOf(bundle: Bundle, folder: string): Form {
  const has = (...names: string[]): boolean => {
    return names.some((name) => bundle.files.some((f) => f.path === posix.join(folder, name)))
  }
  if (has('skaffold.yaml', 'skaffold.yml')) return 'skaffold'
  if (has('kustomization.yaml', 'kustomization.yml', 'Kustomization')) return 'kustomize'
  return has('Chart.yaml') ? 'helm' : 'raw'
}

/**
 * An application is deployed to one namespace of its own, so two objects of one kind and name cannot both be there,
 * whatever namespace they name.
 */
function refuseDuplicates(objects: readonly SourcedObject[]): void {
  const seen = new Map<string, SourcedObject>()
  for (const entry of objects) {
    const id = idOf(entry.object)
    const first = seen.get(id)
    if (first) {
      const where = `${entry.source.file}:${entry.source.line}`
      const earlier = `${first.source.file}:${first.source.line}`
      throw new InputError(`a second ${id}; the first is in ${earlier}`, where, 'Keep one, or rename one')
    }
    seen.set(id, entry)
  }
}

function noObject(bundle: Bundle, folder: string): InputError {
  const place = folder === '.' ? null : folder
  if (!bundle.files.some((f) => isManifestName(f.path) && isBelow(f.path, folder))) {
    return new InputError(
      'there is no manifest (no .yaml, .yml or .json file)',
      place,
      'Name the folder that holds them',
    )
  }
  return new InputError('the manifests hold no Kubernetes object', place)
}

/** The name that all objects give as theirs, or the folder's, or the only workload's, or what the user calls it. */
function nameOf(folder: string, objects: readonly SourcedObject[], fallback: string | null): string {
  const parts = new Set(objects.map((o) => stringsAt(o.object.metadata, 'labels')['app.kubernetes.io/part-of']))
  const [part] = parts
  if (parts.size === 1 && part) return part
  if (folder !== '.') return posix.basename(folder)
  const names = objects.filter((o) => 'spec' in o.object).map((o) => o.object.metadata.name)
  return (new Set(names).size === 1 ? names[0] : null) ?? fallback ?? 'application'
}
