import { posix } from 'node:path'
import { type Bundle, InputError } from '@ordeal/shared'
import { layoutOf } from './layout.js'
import { isCustomResource } from './custom-resource.js'
import { idOf, stringsAt, textAt } from './kubernetes-object.js'
import { isManifestName, readManifestFile } from './manifest-file.js'
import { type Layout, type Part } from './part.js'
import { type Project, type ProjectOptions, type SourcedObject } from './project.js'
import { type Rendered, renderChart, renderKustomization } from './render-part.js'

/**
 * The application that a bundle's files describe, rendered where its form asks for it. Reading a patched bundle with the
 * same options renders it anew. Throws InputError, with file and line where there is one, for what cannot be read and
 * when there is no object at all.
 */
export async function readProject(bundle: Bundle, options: ProjectOptions): Promise<Project> {
  const layout = layoutOf(bundle, options)
  return assemble(layout, await Promise.all(layout.parts.map((part) => render(part, bundle))), bundle, options)
}

/** The same, at once, for a project whose objects all stand in its files as they are. */
export function readPlainProject(bundle: Bundle, options: ProjectOptions): Project {
  const layout = layoutOf(bundle, options)
  return assemble(layout, layout.parts.map(documents), bundle, options)
}

async function render(part: Part, { files }: Bundle): Promise<Rendered> {
  if (part.kind === 'kustomize') return renderKustomization(part, files)
  return part.kind === 'helm' ? renderChart(part, files) : Promise.resolve(documents(part))
}

function documents(part: Part): Rendered {
  if (part.kind !== 'documents') throw new Error(`a ${part.kind} part must be rendered`)
  return { objects: part.files.flatMap(readManifestFile), notes: [] }
}

function assemble(layout: Layout, rendered: readonly Rendered[], bundle: Bundle, options: ProjectOptions): Project {
  const objects = rendered.flatMap((part) => part.objects)
  refuseDuplicates(objects)
  if (!objects.length) throw noObject(bundle, layout)
  return {
    application: layout.application ?? nameOf(layout.folder, objects, options.application ?? null),
    form: layout.form,
    objects,
    files: bundle.files,
    lists: layout.lists,
    notes: [...new Set([...layout.notes, ...rendered.flatMap((part) => part.notes), ...customNotes(objects)])],
  }
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
    if (first) throw duplicate(id, first, entry)
    seen.set(id, entry)
  }
}

function duplicate(id: string, first: SourcedObject, second: SourcedObject): InputError {
  const [earlier, where] = [first, second].map(({ source }) => `${source.file}:${source.line}`)
  const [one, other] = [first, second].map(({ object }) => textAt(object.metadata, 'namespace') ?? 'default')
  if (one === other)
    return new InputError(`a second ${id}; the first is in ${earlier}`, where, 'Keep one, or rename one')
  return new InputError(
    `${id} stands in the namespaces ${one} (${earlier}) and ${other}; a cycle tests them in one namespace, which cannot hold both`,
    where,
    'Give one namespace at a time, with --subpath or as a file, or rename one',
  )
}

/** What only clusters with its definition know is carried along as it is. */
function customNotes(objects: readonly SourcedObject[]): string[] {
  return objects
    .filter(({ object }) => isCustomResource(object))
    .map(({ object, source }) => `${idOf(object)} (${source.file}:${source.line}) ${CUSTOM}`)
}

const CUSTOM = 'is a custom resource: it is kept as it is, and has an effect only where the cluster has its definition'

function noObject(bundle: Bundle, { folder, form }: Layout): InputError {
  const place = folder === '.' ? null : folder
  if (form !== 'raw') return new InputError('it renders to no Kubernetes object', place)
  const isBelow = (path: string): boolean => folder === '.' || path.startsWith(`${folder}/`)
  if (bundle.files.some((f) => isManifestName(f.path) && isBelow(f.path))) {
    return new InputError('the manifests hold no Kubernetes object', place)
  }
  const message = 'there is no manifest (no .yaml, .yml or .json file)'
  return new InputError(message, place, 'Name the folder that holds them')
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
