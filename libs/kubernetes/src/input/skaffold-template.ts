import { InputError } from '@ordeal/shared'
import { type JsonMap, mapAt, mapsAt, textAt } from './kubernetes-object.js'
import { type TextFile } from './yaml-file.js'

/** The variables of Skaffold's templates, by name. */
export type Variables = ReadonlyMap<string, string>

/**
 * The variables that a project's own files give: those of skaffold.env beside its skaffold.yaml. The environment of
 * whoever runs Ordeal is not among them, so that a cycle means the same everywhere.
 */
export function variablesOf(envFile: TextFile | undefined): Variables {
  const lines = (envFile?.content ?? '').split(/\r?\n/)
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line)
      return match?.[1] === undefined ? [] : [[match[1], unquoted(match[2] ?? '')]]
    }),
  )
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text.replace(/\s+#.*$/, '')

/** A reference to an image: its name, and the tag that Skaffold gives to what it does not build. */
interface Image {
  readonly name: string
  readonly tag: string
}

/** The images that a config would build, in order. They are not built: they keep their name. */
export function imagesOf(value: JsonMap): Image[] {
  return mapsAt(mapAt(value, 'build'), 'artifacts').flatMap((artifact) => {
    const name = textAt(artifact, 'image')
    return name === null ? [] : [{ name, tag: 'latest' }]
  })
}

/** What Helm's templates may say of images: `IMAGE_NAME`, `IMAGE_TAG2`, `IMAGE_REPO_my_image`, … */
export function imageVariables(images: readonly Image[]): Variables {
  const entries = images.flatMap(({ name, tag }, index) => {
    const domain = /^([^/]+[.:][^/]*|localhost)\//.exec(name)?.[1] ?? 'docker.io'
    const fields = {
      IMAGE_NAME: name,
      IMAGE_REPO: name,
      IMAGE_TAG: tag,
      IMAGE_DIGEST: '',
      IMAGE_DOMAIN: domain,
      IMAGE_REPO_NO_DOMAIN: name.startsWith(`${domain}/`) ? name.slice(domain.length + 1) : name,
      IMAGE_FULLY_QUALIFIED: `${name}:${tag}`,
    }
    const own = name.replace(/[^\w]/g, '_')
    return Object.entries(fields).flatMap(([key, text]): [string, string][] => [
      [index === 0 ? key : `${key}${index + 1}`, text],
      [`${key}_${own}`, text],
    ])
  })
  return new Map(entries)
}

const EXPRESSION = /\{\{-?\s*([^{}]*?)\s*-?\}\}/g
const VARIABLE = /^\.(\w+)$/
const DEFAULT = /^default\s+(?:"([^"]*)"|`([^`]*)`)\s+\.(\w+)$/
const PIPED = /^\.(\w+)\s*\|\s*default\s+(?:"([^"]*)"|`([^`]*)`)$/

/**
 * The text with its `{{.NAME}}`, `{{default "x" .NAME}}` and `{{.NAME | default "x"}}` filled in. Throws InputError for
 * a variable that nothing gives and for an expression of another shape.
 */
export function filledIn(text: string, variables: Variables, place: string): string {
  return text.replace(EXPRESSION, (whole, expression: string) => {
    const { name, fallback } = read(expression, whole, place)
    const value = variables.get(name) || fallback
    if (value !== undefined) return value
    const remedy = `Give it in a file skaffold.env beside skaffold.yaml (${name}=…); the environment itself is not read`
    throw new InputError(`nothing gives the variable ${name} of '${text}'`, place, remedy)
  })
}

function read(expression: string, whole: string, place: string): { name: string; fallback: string | undefined } {
  const plain = VARIABLE.exec(expression)
  if (plain?.[1]) return { name: plain[1], fallback: undefined }
  const [before, after] = [DEFAULT.exec(expression), PIPED.exec(expression)]
  if (before?.[3]) return { name: before[3], fallback: before[1] ?? before[2] }
  if (after?.[1]) return { name: after[1], fallback: after[2] ?? after[3] }
  throw new InputError(`the template '${whole}' is not understood`, place, 'Write {{.NAME}} or {{default "x" .NAME}}')
}
