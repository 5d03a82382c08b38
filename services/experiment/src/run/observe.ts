import { objectId, type Run, type Windows } from '@ordeal/shared'
import { type EventObject, type Pod } from '@ordeal/kubernetes'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { listPods } from '../sandbox/owners.js'

type Observation = Run['observations'][number]

/** More than a reader can use; a crash loop can write thousands. */
const MOST = 300
/** Events carry whole seconds. */
const ROUNDING_MS = 1000

/** What the cluster reported during the run: its Events, and which pods came and went. */
export async function observe(
  sandbox: Sandbox,
  before: readonly Pod[],
  { pre, post }: Windows,
): Promise<Observation[]> {
  const { cluster, namespace } = sandbox
  const events = await cluster.objects.list<EventObject>({ apiVersion: 'v1', kind: 'Event', namespace })
  const told = events.map(observationOf).filter((o) => o.at >= pre.from - ROUNDING_MS && o.at <= post.to)
  const all = [...told, ...replacements(before, await listPods(sandbox), post.to)]
  return all
    .filter((o) => objectId.safeParse(o.object).success)
    .toSorted((a, b) => a.at - b.at)
    .slice(0, MOST)
}

function observationOf({ involvedObject, reason, message, metadata, ...times }: EventObject): Observation {
  const time = times.lastTimestamp ?? times.eventTime ?? times.firstTimestamp ?? metadata.creationTimestamp ?? ''
  const what = [reason, message].filter(Boolean).join(': ')
  return { at: Date.parse(time) || 0, object: `${involvedObject.kind}/${involvedObject.name}`, what }
}

function replacements(before: readonly Pod[], after: readonly Pod[], end: number): Observation[] {
  const [old, now] = [uids(before), uids(after)]
  const gone = before.filter((p) => !now.has(p.metadata.uid)).map((p) => seen(p, end, 'is gone at the end of the run'))
  const fresh = after
    .filter((p) => !old.has(p.metadata.uid))
    .map((p) => seen(p, Date.parse(p.metadata.creationTimestamp ?? '') || end, 'was created during the run'))
  return [...gone, ...fresh]
}

const uids = (pods: readonly Pod[]): Set<string | undefined> => new Set(pods.map((p) => p.metadata.uid))

const seen = (pod: Pod, at: number, what: string): Observation => ({ at, object: `Pod/${pod.metadata.name}`, what })
