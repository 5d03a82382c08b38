import { type Cluster, type ClusterObject, type WatchEvent } from '@ordeal/kubernetes'
import { versionOf } from './kinds.js'
import { PROBER_LABEL } from './perform.js'

/** How long a watch may take to tell what a list shows already (ms of wall time). */
const SETTLE_MS = 20_000
const LOOK_AGAIN_MS = 50

/** All that was seen of one object, from its creation on. */
export interface Life {
  readonly uid: string
  readonly kind: string
  readonly states: { readonly at: number; readonly object: ClusterObject }[]
  /** When it was gone, in ms of the cluster's time; null while it is there. */
  goneAt: number | null
}

export interface Recorder {
  /** What was seen, once the watches have told all that is there now. Throws when they do not. */
  settled(): Promise<readonly Life[]>
  end(): void
}

/** Records every change of the objects of some kinds in a namespace. `Namespace` means the namespace itself. */
export async function startRecorder(cluster: Cluster, namespace: string, kinds: readonly string[]): Promise<Recorder> {
  const lives = new Map<string, Life>()
  const over = new AbortController()
  const collections = kinds.map((kind) => {
    const base = { apiVersion: versionOf(kind), kind }
    return kind === 'Namespace' ? base : { ...base, namespace }
  })
  const paths = await Promise.all(collections.map((collection) => cluster.objects.path(collection)))
  collections.forEach(({ kind }, index) => {
    const bare = paths[index] ?? ''
    const path = kind === 'Namespace' ? `${bare}?fieldSelector=metadata.name%3D${namespace}` : bare
    cluster.follow(path, (event) => note(lives, kind, event), over.signal)
  })
  const listed = async () => {
    const lists = await Promise.all(collections.map((collection) => cluster.objects.list(collection)))
    return lists.flat().filter(({ kind, metadata }) => kind !== 'Namespace' || metadata.name === namespace)
  }
  return {
    settled: async () => {
      await settle(cluster, lives, listed)
      return [...lives.values()].filter((life) => !isProber(life))
    },
    end: () => over.abort(),
  }
}

function note(lives: Map<string, Life>, kind: string, { type, object, at }: WatchEvent): void {
  const uid = object.metadata.uid ?? ''
  const life = lives.get(uid) ?? { uid, kind, states: [], goneAt: null }
  lives.set(uid, life)
  const last = life.states.at(-1)?.object.metadata.resourceVersion
  if (last !== object.metadata.resourceVersion && type !== 'DELETED') life.states.push({ at, object })
  if (type === 'DELETED') life.goneAt ??= at
}

async function settle(
  cluster: Cluster,
  lives: Map<string, Life>,
  listed: () => Promise<ClusterObject[]>,
): Promise<void> {
  const deadline = performance.now() + SETTLE_MS
  for (;;) {
    const there = await listed()
    const uids = new Set(there.map(({ metadata }) => metadata.uid))
    const untold = there.some(({ metadata }) => !isTold(lives.get(metadata.uid ?? ''), metadata.resourceVersion))
    const gone = [...lives.values()].filter(({ uid, goneAt }) => goneAt === null && !uids.has(uid))
    if (!untold && gone.length === 0) return
    if (performance.now() > deadline) {
      // A deletion that fell between two connections of a watch is told by none.
      const now = await cluster.clock.now()
      for (const life of gone) life.goneAt = now
      if (untold) throw new Error('a watch did not tell what a list shows')
      return
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

const isTold = (life: Life | undefined, version: string | undefined): boolean =>
  life !== undefined && Number(life.states.at(-1)?.object.metadata.resourceVersion) >= Number(version)

function isProber({ kind, states }: Life): boolean {
  const object = states[0]?.object
  const about = (object as { involvedObject?: { name?: string } } | undefined)?.involvedObject?.name
  return kind === 'Event' ? about === 'prober' : object?.metadata.labels?.[PROBER_LABEL] !== undefined
}
