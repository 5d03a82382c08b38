import { parse } from 'yaml'
import { InputError, ordealFileSchema, type Bundle, type ExpectationsPatch, type OrdealFile } from '@ordeal/shared'

/** The file beside the manifests that says what to expect. */
export const ORDEAL_FILE = 'ordeal.yaml'

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
export function patchOf({
  failureModel = {},
  tolerances = {},
  traffic = {},
  checks = [],
  prometheus,
  images,
}: OrdealFile): ExpectationsPatch {
  const { latency, duration, ...failure } = failureModel
  return {
    failureModel: { ...failure, ...said({ latencyMs: latency, durationMs: duration }) },
    tolerances: said({
      minShare: tolerances.success,
      maxOutageMs: tolerances.outage,
      normalAfterMs: tolerances.normalAfter,
    }),
    traffic: said({ requestsPerSecond: traffic.rate, paths: traffic.paths }),
    checks: checks.map(({ script, every, ...check }) => ({ ...check, code: script, everyMs: every })),
    ...said({ prometheusUrl: prometheus, images }),
  }
}

/** The fields that have a value; null is one. */
const said = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
