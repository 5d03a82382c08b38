import { isRefused, objectIdOf, RefusedError, type ClusterObject } from '@ordeal/kubernetes'
import { TerminalError } from '@ordeal/shared'
import { gunzipSync, gzipSync } from 'node:zlib'
import { isOwn, type Sandbox } from '../sandbox/open-sandbox.js'
import { refuseDrift } from './drift.js'
import { JOURNAL, journalRef } from './journal.js'
import { stateOf } from './live-state.js'
import { restore } from './restore.js'

const DATA = 'states.json.gz'
const UNTIL = 'ordeal.dev/until'
/** Kubernetes keeps at most 1 MiB in a Secret. */
const MOST_BYTES = 900 * 1024
/** Clean-up comes on top of what a cycle may take. */
const MARGIN_MS = 20 * 60_000

interface Journal extends ClusterObject {
  readonly data?: Record<string, string>
}

/**
 * Writes down what is in the namespace, before anything is done to it. Throws RefusedError for what is not there,
 * TerminalError `in-place-refused` where what is there is not what the input says.
 */
export async function enterInPlace(sandbox: Sandbox, objects: readonly ClusterObject[]): Promise<void> {
  const { cluster, cycleMs, labels, namespace } = sandbox
  const found = await cluster.objects.get<Journal>(journalRef(namespace))
  if (found && isOwn(labels)(found)) return
  if (found) await putBackTheDead(sandbox, found)
  const states = await readStates(sandbox, objects)
  const packed = gzipSync(JSON.stringify(states)).toString('base64')
  if (packed.length > MOST_BYTES) {
    throw new RefusedError(413, 'TooLarge', `what is in namespace ${namespace} is too large to be written down there`)
  }
  const until = new Date(Date.now() + cycleMs + MARGIN_MS).toISOString()
  const metadata = { name: JOURNAL, namespace, labels, annotations: { [UNTIL]: until } }
  try {
    await cluster.objects.create({ ...journalRef(namespace), metadata, type: 'Opaque', data: { [DATA]: packed } })
  } catch (error) {
    if (isRefused(error, 409)) throw taken(namespace, 'another cycle')
    throw error
  }
}

/** What was in the namespace when the cycle came; null when it never came to write that down, and so changed nothing. */
export async function readJournal({ cluster, labels, namespace }: Sandbox): Promise<ClusterObject[] | null> {
  const found = await cluster.objects.get<Journal>(journalRef(namespace))
  return found && isOwn(labels)(found) ? unpack(found) : null
}

const unpack = ({ data }: Journal): ClusterObject[] =>
  JSON.parse(gunzipSync(Buffer.from(data?.[DATA] ?? '', 'base64')).toString()) as ClusterObject[]

async function readStates(
  { cluster, namespace }: Sandbox,
  objects: readonly ClusterObject[],
): Promise<ClusterObject[]> {
  const live = await Promise.all(objects.map((object) => cluster.objects.get(object)))
  const missing = objects.filter((_, index) => !live[index]).map(objectIdOf)
  if (missing.length) {
    const what = `${missing.join(', ')} not found in namespace ${namespace}`
    throw new RefusedError(404, 'NotInPlace', `${what}; in place nothing is deployed, the application must be there`)
  }
  const pairs = objects.flatMap((input, index) => (live[index] ? [{ input, live: live[index] }] : []))
  await refuseDrift({ cluster, namespace }, pairs)
  return pairs.map((pair) => stateOf(pair.live))
}

/** A cycle whose time is over died with all its processes: what it left is put back before anything else. */
async function putBackTheDead(sandbox: Sandbox, journal: Journal): Promise<void> {
  const { cluster, context, namespace } = sandbox
  const { labels = {}, annotations = {} } = journal.metadata
  const owner = labels['ordeal.dev/cycle'] ?? 'somebody'
  if (!(Date.parse(annotations[UNTIL] ?? '') < Date.now()))
    throw taken(namespace, `${owner} until ${annotations[UNTIL]}`)
  context.progress({ kind: 'note', message: `${owner} died in namespace ${namespace}: what it left is put back first` })
  const left = await restore({ ...sandbox, labels }, unpack(journal))
  if (left.length) throw new TerminalError('namespace-not-restored', `${left.join('; ')} (left behind by ${owner})`)
  await cluster.objects.remove(journal)
  const prober = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `ordeal-${owner}-prober` } }
  const space = await cluster.objects.get(prober)
  if (space && isOwn(labels)(space)) await cluster.objects.remove(prober)
}

const taken = (namespace: string, by: string): TerminalError =>
  new TerminalError('namespace-taken', `namespace ${namespace} is used in place by ${by} (Secret/${JOURNAL} in it)`)
