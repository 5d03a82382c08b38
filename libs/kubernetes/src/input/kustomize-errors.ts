import { InputError } from '@ordeal/shared'
import { isManifestName, readManifestFile } from './manifest-file.js'
import { type TextFile } from './yaml-file.js'

type Explanation = [pattern: RegExp, message: (match: RegExpMatchArray) => string, remedy: string]

/** What Kustomize says when it is asked for what is not done here, or for what is not there; the first that fits. */
const EXPLANATIONS: Explanation[] = [
  [
    /'((?:https?:\/\/|git@|ssh:\/\/|git::|file:\/\/|[\w.-]+\.\w+[/:])[^']*)'[^]*(?:dial tcp|git)/,
    ([, url]) => `'${url}' is remote and is not fetched`,
    'Copy it in, as `kustomize localize` does',
  ],
  [
    /must specify --enable-helm/,
    () => 'helmCharts runs the helm program, which is refused',
    'Render the chart with `helm template` and list the result under resources, or give the chart itself',
  ],
  [
    /external plugins disabled; unable to load external plugin '([^']*)'/,
    ([, kind]) => `the plugin ${kind} runs a program, which is refused`,
    'Leave it out, or give what `kustomize build` makes of it',
  ],
  [
    /security; file '\/?([^']*)' is not in or below '\/?([^']*)'/,
    ([, file, folder]) => `${file} lies outside of the kustomization in ${folder || '.'}`,
    'A kustomization takes files below its own folder only; give the other folder a kustomization and name that folder',
  ],
  [
    /cycle detected: candidate root '\/?([^']*)' contains visited root/,
    ([, folder]) => `the kustomization in ${folder || '.'} takes in itself`,
    'Take one of the two out of resources',
  ],
  [
    /(?:'\/([^']*)' doesn't exist|no such file or directory|evalsymlink failure on '\/([^']*)')/,
    ([, file, other]) => `${file ?? other ?? 'a file that it names'} is not there`,
    'Check the path; give the folder that holds all that it names, and the overlay with --subpath',
  ],
]

/** Kustomize's error with a place: that of the file at fault where our own reading of it finds the fault, too. */
export function kustomizeError(text: string, kustomization: string, files: readonly TextFile[]): InputError {
  const fault = files
    .filter((file) => isNamed(file, text))
    .map(faultOf)
    .find((error) => error !== null)
  if (fault) return fault
  for (const [pattern, message, remedy] of EXPLANATIONS) {
    const match = text.match(pattern)
    if (match) return new InputError(message(match), kustomization, remedy)
  }
  return new InputError(`Kustomize refuses it: ${plain(text)}`, kustomization)
}

/** Kustomize names a file that is no YAML by its path in its folder, others by their whole path. */
function isNamed({ path, encoding }: TextFile, text: string): boolean {
  if (encoding || !isManifestName(path)) return false
  const malformed = /MalformedYAMLError.* in File: (\S+)/.exec(text)?.[1]
  return text.includes(path) || (malformed !== undefined && `/${path}`.endsWith(`/${malformed}`))
}

function faultOf(file: TextFile): InputError | null {
  try {
    readManifestFile(file)
    return null
  } catch (error) {
    if (error instanceof InputError) return error
    throw error
  }
}

/** Its paths are from the root of the input, and it tells the way to each error; the end of that is the error. */
const plain = (text: string): string =>
  text
    .replace(/^(?:accumulating resources: (?:accumulation err=)?)+/, '')
    .replaceAll("'/", "'")
    .replace(/\s+/g, ' ')
    .slice(0, 600)
