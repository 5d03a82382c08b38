import { parse } from 'yaml'
import { InputError, ordealFileSchema, type Bundle, type ExpectationsPatch, type OrdealFile } from '@ordeal/shared'

/** The file beside the manifests that says what to expect. */
export const ORDEAL_FILE = 'ordeal.yaml'

/** A user's files without `ordeal.yaml`, and what that says; null where there is none. */
export interface WithoutOrdealFile {
  readonly bundle: Bundle
  readonly file: OrdealFile | null
}

/** Takes `ordeal.yaml` out of the files, from the folder that is tested or from the root. Throws InputError with the place. */
export function takeOrdealFile(bundle: Bundle, subpath: string | null): WithoutOrdealFile {
  const places = [subpath ? `${subpath.replace(/\/+$/, '')}/${ORDEAL_FILE}` : null, ORDEAL_FILE]
  const found = places.map((path) => bundle.files.find((file) => file.path === path)).find((file) => file !== undefined)
  const files = bundle.files.filter((file) => !places.includes(file.path))
  return { bundle: { files }, file: found ? readOrdealFile(found.content, found.path) : null }
}

function readOrdealFile(content: string, path: string): OrdealFile {
  const parsed = ordealFileSchema.safeParse(parsedYaml(content, path) ?? {})
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new InputError(
    `${issue?.path.map(String).join('.') || 'the file'}: ${issue?.message ?? 'not understood'}`,
    path,
    'docs/expectations.md lists what it may say',
  )
}

function parsedYaml(content: string, path: string): unknown {
  try {
    return parse(content, { maxAliasCount: 0 }) as unknown
  } catch (error) {
    throw new InputError((error as Error).message.split('\n')[0] ?? 'not YAML', path)
  }
}

/** What the file changes of the expectations. */
export function patchOf({ failureModel = {}, tolerances = {}, traffic = {} }: OrdealFile): ExpectationsPatch {
  const { latency, duration, ...failure } = failureModel
  const { success, outage, normalAfter } = tolerances
  return {
    failureModel: {
      ...failure,
      ...(latency === undefined ? {} : { latencyMs: latency }),
      ...(duration === undefined ? {} : { durationMs: duration }),
    },
    tolerances: {
      ...(success === undefined ? {} : { minShare: success }),
      ...(outage === undefined ? {} : { maxOutageMs: outage }),
      ...(normalAfter === undefined ? {} : { normalAfterMs: normalAfter }),
    },
    traffic: {
      ...(traffic.rate === undefined ? {} : { requestsPerSecond: traffic.rate }),
      ...(traffic.paths === undefined ? {} : { paths: traffic.paths }),
    },
  }
}
