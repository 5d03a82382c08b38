import { objectIdOf, RefusedError, type ClusterObject, type Objects } from '@ordeal/kubernetes'
import { TerminalError } from '@ordeal/shared'
import { mergePatch } from '../sandbox/merge-patch.js'
import { CYCLE_LABEL, OWNER, type Sandbox } from '../sandbox/open-sandbox.js'
import { stateOf } from './live-state.js'

/** An object as the input has it, and as it stands in the cluster. */
export interface Pair {
  readonly input: ClusterObject
  readonly live: ClusterObject
}

/** Of these nobody but their users writes the specification, so what the input leaves out is meant to have its default. */
const WHOLLY_OWNED = new Set([
  ...['ConfigMap', 'CronJob', 'DaemonSet', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'LimitRange'],
  ...[
    'NetworkPolicy',
    'PodDisruptionBudget',
    'ResourceQuota',
    'Role',
    'RoleBinding',
    'Secret',
    'Service',
    'StatefulSet',
  ],
])
/** More than a reader takes in at once. */
const MOST = 12

/**
 * Refuses to work on an application that is another than the input describes: findings, verdict and patch would be about
 * files that nobody runs. The server itself is asked what the input would change, so that defaults, the forms of
 * quantities and what controllers have filled in are no difference. Throws TerminalError `in-place-refused`.
 */
export async function refuseDrift(
  { cluster, namespace }: Pick<Sandbox, 'cluster' | 'namespace'>,
  pairs: readonly Pair[],
): Promise<void> {
  const scaled = new Set(pairs.flatMap(({ input }) => scaledBy(input)))
  const found = await Promise.all(pairs.map((pair) => differencesOf(cluster.objects, pair, scaled)))
  const all = found.flat()
  if (all.length === 0) return
  const more = all.length > MOST ? ` and ${all.length - MOST} more differences` : ''
  const what = `the input is not what stands in namespace ${namespace}: ${all.slice(0, MOST).join('; ')}${more}`
  const remedy = 'Apply the input first (kubectl apply), or give what stands there (kubectl get -o yaml)'
  throw new TerminalError('in-place-refused', `the cycle cannot work in place: ${what}. Nothing was done. ${remedy}`)
}

/** `Kind/name` of what an autoscaler scales: the number of its replicas is not the input's. */
function scaledBy({ kind, spec }: ClusterObject): string[] {
  if (kind !== 'HorizontalPodAutoscaler') return []
  const { scaleTargetRef: target } = spec as { scaleTargetRef?: { kind?: string; name?: string } }
  return target ? [`${target.kind}/${target.name}`] : []
}

async function differencesOf(objects: Objects, { input, live }: Pair, scaled: ReadonlySet<string>): Promise<string[]> {
  const id = objectIdOf(input)
  const wanted = unmarked(input)
  try {
    const after = WHOLLY_OWNED.has(input.kind)
      ? await rehearseReplacing(objects, wanted, live)
      : await objects.rehearseApply(wanted)
    const paths = pathsOf(stateOf(live), stateOf({ ...after, kind: input.kind }))
    return paths
      .filter(({ path }) => !(path === '/spec/replicas' && scaled.has(id)))
      .map((difference) => `${id} ${words(difference, input.kind)}`)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    // What comes after the first line may be the whole of the object.
    const [first] = error.message.split('\n')
    return [`${id} cannot become what the input says (${first})`]
  }
}

/** Without what says that it is the cycle's: nothing of that is in the cluster before the cycle is. */
function unmarked({ metadata, ...object }: ClusterObject): ClusterObject {
  const { [CYCLE_LABEL]: _cycle, ...labels } = metadata.labels ?? {}
  const { [OWNER]: _owner, ...annotations } = metadata.annotations ?? {}
  return { ...object, metadata: { ...metadata, labels, annotations } }
}

/** What would be there if the object were replaced; what others have noted in its metadata stays. */
function rehearseReplacing(objects: Objects, wanted: ClusterObject, live: ClusterObject): Promise<ClusterObject> {
  const { metadata: _, ...state } = stateOf(live)
  const {
    metadata: { labels, annotations },
    ...rest
  } = wanted
  return objects.patch(live, { ...mergePatch(state, rest), metadata: { labels, annotations } }, { dryRun: true })
}

/** One field that is not as the input has it. */
export interface Difference {
  /** A JSON pointer. */
  readonly path: string
  readonly live: unknown
  readonly input: unknown
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Where two values differ, as deep as that can be told. */
export function pathsOf(live: unknown, input: unknown, path = ''): Difference[] {
  if (!isContainer(live) || !isContainer(input) || Array.isArray(live) !== Array.isArray(input)) {
    return Object.is(live, input) ? [] : [{ path, live, input }]
  }
  return [...new Set([...Object.keys(live), ...Object.keys(input)])].flatMap((key) =>
    pathsOf(live[key], input[key], `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
}

/** Values may be credentials: only a number, a switch and an image are shown. */
function words({ path, live, input }: Difference, kind: string): string {
  if (live === undefined) return `has no ${path}`
  if (input === undefined) return `has ${path}, which the input does not`
  const mayBeSeen = (value: unknown): boolean =>
    typeof value === 'number' || typeof value === 'boolean' || (path.endsWith('/image') && typeof value === 'string')
  return kind !== 'Secret' && mayBeSeen(live) && mayBeSeen(input)
    ? `has ${JSON.stringify(live)} at ${path}, the input ${JSON.stringify(input)}`
    : `differs at ${path}`
}
