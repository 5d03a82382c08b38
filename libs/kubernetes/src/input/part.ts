import { type Setting } from '@ordeal/renderer'
import { type Form, type ManifestList } from './project.js'
import { type TextFile } from './yaml-file.js'

/** A Helm chart and how it is installed. Paths are relative to the input. */
export interface ChartPart {
  readonly kind: 'helm'
  /** Folder of the chart. */
  readonly chart: string
  readonly name: string
  readonly namespace: string
  /** Values files, the last wins; those of `extra` are not the user's own. */
  readonly values: readonly string[]
  readonly set: readonly Setting[]
  readonly extra: readonly TextFile[]
  /** Where it is asked for, to be named in errors; null where the user gave the chart itself. */
  readonly place: string | null
}

/** A Kustomize folder, by its kustomization file. */
export interface KustomizePart {
  readonly kind: 'kustomize'
  readonly file: string
}

/** A piece of a project that gives objects: documents as they stand, or what a renderer makes of files. */
export type Part = { readonly kind: 'documents'; readonly files: readonly TextFile[] } | KustomizePart | ChartPart

/** What a project consists of, before anything is rendered. */
export interface Layout {
  readonly form: Form
  /** The folder that was named. */
  readonly folder: string
  /** The name that the project's own files give it. */
  readonly application: string | null
  readonly parts: readonly Part[]
  readonly lists: readonly ManifestList[]
  readonly notes: readonly string[]
}
