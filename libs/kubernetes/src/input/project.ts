import { type JsonMap, type KubernetesObject } from './kubernetes-object.js'
import { type TextFile } from './yaml-file.js'

/** How a project holds its manifests. */
export type Form = 'raw' | 'skaffold' | 'kustomize' | 'helm'

/**
 * Where an object stands, or what it was made of: a document of a file, or an item of a document of kind List. Counting
 * starts at 0, lines at 1. Exact where the object's origin is a document. For Kustomize: the document that was
 * transformed, or the entry of the generator. For Helm: the template, and the line of its `kind` where that is found.
 */
export interface ObjectSource {
  readonly file: string
  readonly line: number
  readonly docIndex: number
  readonly itemIndex: number | null
}

/** A Kustomize folder that is rendered, as given by the user or named by a Skaffold file. */
export interface KustomizeOrigin {
  readonly kind: 'kustomize'
  /** The kustomization file whose folder is rendered: changes belong there. */
  readonly file: string
  /** The name before this kustomization and those below it changed it, by which its patches find the object. */
  readonly originalName: string
  /** True for what a generator made: there is no manifest of it. */
  readonly generated: boolean
}

/** A Helm chart that is rendered, as given by the user or named by a Skaffold file. */
export interface HelmRelease {
  /** Folder of the chart, `.` for the top one. */
  readonly chart: string
  readonly name: string
  readonly namespace: string
  /** Values files in order, the last wins. The chart's own values.yaml, below all of them, is not among them. */
  readonly values: readonly string[]
  /** Values that win over all files (a Skaffold file's), nested. */
  readonly set: JsonMap
}

export interface HelmOrigin {
  readonly kind: 'helm'
  readonly release: HelmRelease
}

/** What made an object: it stands in its file as it is, or a renderer gave it. */
export type Origin = { readonly kind: 'document' } | KustomizeOrigin | HelmOrigin

export interface SourcedObject {
  readonly object: KubernetesObject
  readonly source: ObjectSource
  /** Absent means that it stands in its file as it is. */
  readonly origin?: Origin
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
  /** Every text file of the bundle, also those that hold no manifest. */
  readonly files: readonly TextFile[]
  /** The lists that name the manifest files; none where every file of a folder is taken. */
  readonly lists: readonly ManifestList[]
  /** What was found and is not part of the application as tested: hooks, tests, images that would be built. */
  readonly notes: readonly string[]
}

/** What part of a bundle is the application. */
export interface ProjectOptions {
  /** Folder within the bundle. */
  readonly subpath: string | null
  /** Skaffold profiles, with commas between them; `-NAME` keeps one from being active by itself. */
  readonly profile: string | null
  /** Helm values files. */
  readonly values: readonly string[]
  /** The application's name where its files tell none. */
  readonly application?: string | null
  /** `embedded` or a kubeconfig context, which Skaffold's profiles may look at. */
  readonly cluster?: string
}
