import { isRefused, objectIdOf, type ClusterObject } from '@ordeal/kubernetes'
import { DeadlineError } from '@ordeal/shared'
import { z } from 'zod'
import { letGoOfFaults } from '../run/remove-faults.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { KINDS, POOL_LABEL } from './pool.js'
import { PROBER_RIGHTS, SANDBOX_RIGHTS, type Right } from './rights.js'

/** Grace periods and finalizers included. */
const EMPTY_MS = 180_000
const LOOK_MS = 1000

type Kind = Pick<Right, 'apiVersion' | 'kind'>
const kindsSchema = z.array(z.object({ apiVersion: z.string(), kind: z.string() }))

/** What Kubernetes itself puts into every namespace. */
const BUILT_IN = new Set(['ConfigMap/kube-root-ca.crt', 'ServiceAccount/default'])
/** What controllers of a cluster put into every namespace, and put there again: they are no part of an application. */
const PROVIDED = new Set(['ConfigMap', 'Secret', 'ServiceAccount', 'Role', 'RoleBinding'])

/**
 * Removes everything from the namespaces of a pool but what belongs to the pool, whoever left it there, and waits until it
 * is gone. Returns what is left after the deadline.
 */
export async function emptyNamespaces(sandbox: Sandbox): Promise<string[]> {
  const { cluster, context, podsPath } = sandbox
  const more = await readKinds(sandbox)
  const removed = new Map<string, string>()
  let left: readonly ClusterObject[] = []
  const isBack = ({ metadata, ...object }: ClusterObject): boolean =>
    PROVIDED.has(object.kind) && removed.has(`${object.kind}/${metadata.name}`) && !isRemoved(metadata.uid)
  const isRemoved = (uid: string | undefined): boolean => [...removed.values()].includes(uid ?? '')
  const check = async () => {
    left = (await listAll(sandbox, more)).filter((object) => !isBack(object))
    for (const object of left) {
      if (isRemoved(object.metadata.uid)) continue
      await cluster.objects.remove(object)
      removed.set(objectIdOf(object), object.metadata.uid ?? '')
    }
    if (left.length) await letGoOfFaults({ ...sandbox, labels: {} })
    return left.length === 0 || undefined
  }
  try {
    const what = `an empty namespace ${sandbox.namespace}`
    await cluster.clock.waitFor(
      { what, withinMs: EMPTY_MS, watch: [podsPath], everyMs: LOOK_MS, check },
      context.signal,
    )
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
  }
  return left.map((object) => `${objectIdOf(object)} in ${object.metadata.namespace}`)
}

/** Writes down, before they are put there, kinds of `objects` that are not among the usual ones. */
export async function noteKinds(sandbox: Sandbox, objects: readonly ClusterObject[]): Promise<void> {
  const { cluster, place } = sandbox
  if (place.mode === 'own') return
  const known = await readKinds(sandbox)
  const usual = new Set([...SANDBOX_RIGHTS, ...known].map(nameOf))
  const unusual = objects.filter((object) => !usual.has(nameOf(object)))
  if (unusual.length === 0) return
  const kinds = new Map(
    [...known, ...unusual].map(({ apiVersion, kind }) => [nameOf({ apiVersion, kind }), { apiVersion, kind }]),
  )
  const annotations = { [KINDS]: JSON.stringify([...kinds.values()]) }
  await cluster.objects.patch(place.notebook, { metadata: { annotations } })
}

/** Kinds that were written down. */
export async function readKinds({ cluster, place }: Sandbox): Promise<Kind[]> {
  const notebook = await cluster.objects.get(place.notebook)
  return kindsSchema.parse(JSON.parse(notebook?.metadata.annotations?.[KINDS] ?? '[]'))
}

const nameOf = ({ apiVersion, kind }: Kind): string => `${apiVersion} ${kind}`

async function listAll(
  { cluster, namespace, proberNamespace }: Sandbox,
  more: readonly Kind[],
): Promise<ClusterObject[]> {
  const wanted = [
    ...[...SANDBOX_RIGHTS, ...more].map((kind) => ({ kind, namespace })),
    ...PROBER_RIGHTS.map((kind) => ({ kind, namespace: proberNamespace })),
  ]
  const found = await Promise.all(
    wanted.map(({ kind: { apiVersion, kind }, namespace: of }) =>
      orNone(cluster.objects.list({ apiVersion, kind, namespace: of })),
    ),
  )
  return found.flat().filter((object) => !isResident(object))
}

const isResident = (object: ClusterObject): boolean =>
  BUILT_IN.has(objectIdOf(object)) || object.metadata.labels?.[POOL_LABEL] !== undefined

/** What the cluster does not have, nobody can have left there. */
async function orNone(objects: Promise<ClusterObject[]>): Promise<ClusterObject[]> {
  try {
    return await objects
  } catch (error) {
    if (isRefused(error, 404)) return []
    throw error
  }
}
