import { parse } from 'yaml'
import { InputError, ordealFileSchema, type Bundle, type ExpectationsPatch, type OrdealFile } from '@ordeal/shared'

/** The file beside the manifests that says what to expect. */
const ORDEAL_FILE = 'ordeal.yaml'

/**
 * What `ordeal.yaml` says, from the folder that is tested or else from the root; null where there is none. Throws
 * InputError with the place.
 */
export function findOrdealFile(bundle: Bundle, subpath: string | null): OrdealFile | null {
  const places = [subpath ? `${subpath.replace(/\/+$/, '')}/${ORDEAL_FILE}` : null, ORDEAL_FILE]
  const found = places.map((path) => bundle.files.find((file) => file.path === path)).find((file) => file !== undefined)
  return found ? readOrdealFile(found.content, found.path) : null
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
