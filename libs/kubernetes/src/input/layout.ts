import { posix } from 'node:path'
import { type Bundle, InputError } from '@ordeal/shared'
import { textAt } from './kubernetes-object.js'
import { kustomizationIn } from './kustomization.js'
import { type Layout } from './part.js'
import { type Form, type ProjectOptions } from './project.js'
import { rawManifests } from './raw-project.js'
import { readSkaffoldProject } from './skaffold-project.js'
import { parseYamlFile, type TextFile } from './yaml-file.js'

/** What a bundle consists of. Throws InputError for a folder that is not there and for options that mean nothing. */
export function layoutOf(bundle: Bundle, options: ProjectOptions): Layout {
  const folder = subfolder(bundle, options.subpath)
  const form = formOf(bundle.files, folder)
  refuseIdleOptions(form, options)
  return layouts[form]({ files: bundle.files, folder, options })
}

interface Input {
  readonly files: readonly TextFile[]
  readonly folder: string
  readonly options: ProjectOptions
}

const NONE = { application: null, lists: [], notes: [] }

const layouts: Record<Form, (input: Input) => Layout> = {
  raw: ({ files, folder }) => {
    const below = files.filter((f) => isBelow(f.path, folder))
    return { ...NONE, form: 'raw', folder, parts: [{ kind: 'documents', files: rawManifests(below) }] }
  },
  skaffold: ({ files, folder, options }) => ({
    form: 'skaffold',
    folder,
    ...readSkaffoldProject(files, folder, { profiles: options.profile, cluster: options.cluster ?? null }),
  }),
  kustomize: ({ files, folder }) => {
    const file = kustomizationIn(files, folder) ?? folder
    return { ...NONE, form: 'kustomize', folder, parts: [{ kind: 'kustomize', file }] }
  },
  helm: chartLayout,
}

/** A chart is installed under its own name: that is what most charts make the shortest names of. */
function chartLayout({ files, folder, options }: Input): Layout {
  const path = posix.join(folder, 'Chart.yaml')
  const file = files.find((f) => f.path === path)
  const name = file && textAt(parseYamlFile(file).documents[0]?.value, 'name')
  if (!name) throw new InputError('the chart has no name', path, 'Give it one')
  if (!/^[a-z0-9]([a-z0-9-]{0,51}[a-z0-9])?$/.test(name)) {
    throw new InputError(`'${name}' cannot be the name of a release, which a chart is installed under`, path)
  }
  const values = options.values.map((given) => posix.normalize(given))
  const chart = { name, namespace: 'default', values, set: [], extra: [], place: null }
  return { ...NONE, application: name, form: 'helm', folder, parts: [{ kind: 'helm', chart: folder, ...chart }] }
}

/** An option that the form knows nothing of is a mistake, and would be ignored in silence. */
function refuseIdleOptions(form: Form, { profile, values }: ProjectOptions): void {
  if (profile !== null && form !== 'skaffold') {
    throw new InputError(`there is no Skaffold project, so no profile '${profile}'`, null, 'Leave --profile out')
  }
  if (!values.length || form === 'helm') return
  const remedy =
    form === 'skaffold' ? 'Name it under valuesFiles of a release, in a profile maybe' : 'Leave --values out'
  throw new InputError(`there is no Helm chart, so no values file '${values[0]}'`, null, remedy)
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

function formOf(files: readonly TextFile[], folder: string): Form {
  const has = (...names: string[]): boolean =>
    names.some((name) => files.some((f) => f.path === posix.join(folder, name)))
  if (has('skaffold.yaml', 'skaffold.yml')) return 'skaffold'
  if (kustomizationIn(files, folder) !== null) return 'kustomize'
  return has('Chart.yaml') ? 'helm' : 'raw'
}
