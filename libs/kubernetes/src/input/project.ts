import { type KubernetesObject } from './kubernetes-object.js'
import { type TextFile } from './yaml-file.js'

/** How a project holds its manifests. */
export type Form = 'raw' | 'skaffold' | 'kustomize' | 'helm'

/** Where an object stands: a document of a file, or an item of a document of kind List. Counting starts at 0, lines at 1. */
export interface ObjectSource {
  readonly file: string
  readonly line: number
  readonly docIndex: number
  readonly itemIndex: number | null
}

export interface SourcedObject {
  readonly object: KubernetesObject
  readonly source: ObjectSource
}

/** A list of manifest files in a Skaffold file: `patterns` are relative to `folder`, `path` leads to the list. */
export interface ManifestList {
  readonly file: string
  readonly docIndex: number
  readonly path: readonly string[]
  readonly folder: string
  readonly patterns: readonly string[]
}

/** A user's application as read from its files. */
export interface Project {
  readonly application: string
  readonly form: Form
  readonly objects: readonly SourcedObject[]
  /** Every file of the bundle, also those that hold no manifest. */
  readonly files: readonly TextFile[]
  /** The lists that name the manifest files; none where every file of a folder is taken. */
  readonly lists: readonly ManifestList[]
}

/** What part of a bundle is the application. */
export interface ProjectOptions {
  /** Folder within the bundle. */
  readonly subpath: string | null
  /** Skaffold profile. */
  readonly profile: string | null
  /** Helm values files. */
  readonly values: readonly string[]
  /** The application's name where its files tell none. */
  readonly application?: string | null
}
