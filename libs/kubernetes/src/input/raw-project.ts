import { posix } from 'node:path'
import { InputError } from '@ordeal/shared'
import { isManifestName } from './manifest-file.js'
import { type TextFile } from './yaml-file.js'

/** Files of other tools, by name, that may lie among manifests. */
const OTHER_TOOLS = [
  /^ordeal\.ya?ml$/,
  /^skaffold\.ya?ml$/,
  /^(docker-)?compose(\..+)?\.ya?ml$/,
  /^values(\..+|-.+)?\.ya?ml$/,
  /^(package|package-lock|tsconfig(\..+)?)\.json$/,
  /^(Taskfile|cloudbuild|mkdocs|codecov|renovate|lerna|pnpm-lock|pnpm-workspace)\.(ya?ml|json)$/,
]

/** Files that make a folder another form; as raw manifests they would be read wrong. */
const OTHER_FORMS: Record<string, string> = {
  'Chart.yaml': 'a Helm chart',
  'kustomization.yaml': 'a Kustomize folder',
  'kustomization.yml': 'a Kustomize folder',
  Kustomization: 'a Kustomize folder',
  'skaffold.yaml': 'a Skaffold project',
  'skaffold.yml': 'a Skaffold project',
}

const isHidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.'))
const isOtherTool = (path: string): boolean => OTHER_TOOLS.some((name) => name.test(posix.basename(path)))
/** JSON serves many ends; only what speaks of an apiVersion is meant as a manifest. */
const isOtherJson = (file: TextFile): boolean => /\.json$/i.test(file.path) && !file.content.includes('"apiVersion"')

/** The manifest files of a folder and those below it, in order of path. */
export function rawManifests(files: readonly TextFile[]): TextFile[] {
  for (const { path } of files) refuseOtherForm(path)
  return files.filter((f) => isManifestName(f.path) && !isHidden(f.path) && !isOtherTool(f.path) && !isOtherJson(f))
}

function refuseOtherForm(path: string): void {
  const form = OTHER_FORMS[posix.basename(path)]
  if (!form || isHidden(path)) return
  const folder = posix.dirname(path)
  throw new InputError(`this folder holds ${form} further down`, path, `Name the one to take with --subpath ${folder}`)
}
