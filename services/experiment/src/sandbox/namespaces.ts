import { type ClusterObject, type ObjectRef } from '@ordeal/kubernetes'
import { DeadlineError, TerminalError } from '@ordeal/shared'
import { emptyNamespaces } from '../place/empty.js'
import { enterInPlace } from '../place/in-place.js'
import { QUARANTINE, REVISION } from '../place/pool.js'
import { isOwn, OWNER, type Sandbox } from './open-sandbox.js'

export const namespaceRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

/** Chaos Mesh, where it is set up to ask, touches only namespaces that allow it. */
const ALLOW_FAULTS = { 'chaos-mesh.org/inject': 'enabled' }

/**
 * Creates the cycle's two namespaces, or finds those of an earlier attempt; those of a pool are there, and are emptied of
 * whatever is left in them; that of an application in place is written down first. Throws TerminalError
 * `namespace-not-empty`, `namespace-taken`.
 */
export async function createNamespaces(sandbox: Sandbox, objects: readonly ClusterObject[]): Promise<void> {
  const { cluster, context, namespace, place, proberNamespace, labels } = sandbox
  if (place.mode === 'pool') return makeRoom(sandbox)
  if (place.mode === 'in-place') await enterInPlace(sandbox, objects)
  const annotations = { [OWNER]: `cycle ${context.cycleId} of tenant ${context.tenantId}` }
  const application = { name: namespace, labels, annotations: { ...annotations, ...ALLOW_FAULTS } }
  const prober = { name: proberNamespace, labels, annotations }
  for (const metadata of [...(place.mode === 'own' ? [application] : []), prober]) {
    await cluster.objects.adopt({ ...namespaceRef(metadata.name), metadata }, isOwn(labels))
  }
  if (place.mode === 'own') await awaitAccount(sandbox)
}

const ACCOUNT_MS = 10_000

/** Where pods have accounts, the first pod of a namespace is refused until its controller has made the default one. */
async function awaitAccount({ cluster, context, namespace }: Sandbox): Promise<void> {
  const kind = { apiVersion: 'v1', kind: 'ServiceAccount' }
  if (!(await cluster.objects.knows({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' }))) return
  const watch = [await cluster.objects.path({ ...kind, namespace })]
  const check = async () =>
    (await cluster.objects.get({ ...kind, metadata: { name: 'default', namespace } })) ? true : undefined
  try {
    await cluster.clock.waitFor({ what: 'an account for pods', withinMs: ACCOUNT_MS, watch, check }, context.signal)
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
  }
}

/** What a cycle left behind that died with all its processes must not be measured with the next. */
async function makeRoom(sandbox: Sandbox): Promise<void> {
  const left = await emptyNamespaces(sandbox)
  if (left.length === 0) return
  const why = `${left.join(', ')} did not go`
  await quarantine(sandbox, why)
  throw new TerminalError('namespace-not-empty', `namespace ${sandbox.namespace} of the pool cannot be used: ${why}`)
}

export const noteRevision = (sandbox: Sandbox, revision: number): Promise<void> =>
  note(sandbox, REVISION, `${revision}`)

/** Marks the sandbox of a fault that could not be undone. */
export async function quarantine(sandbox: Sandbox, why: string): Promise<void> {
  const { context, namespace } = sandbox
  context.log.error('a fault could not be undone; its namespace is quarantined', { namespace, why })
  context.progress({ kind: 'fault', message: `namespace ${namespace} is quarantined: ${why}` })
  await note(sandbox, QUARANTINE, why)
}

async function note({ cluster, place }: Sandbox, name: string, value: string): Promise<void> {
  await cluster.objects.patch(place.notebook, { metadata: { annotations: { [name]: value } } })
}

/** The revision that was last rolled out completely. */
export async function deployedRevision({ cluster, place }: Sandbox): Promise<number> {
  const found = await cluster.objects.get(place.notebook)
  return Number(found?.metadata.annotations?.[REVISION] ?? 0)
}
