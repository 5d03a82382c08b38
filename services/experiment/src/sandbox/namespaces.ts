import { type ObjectRef } from '@ordeal/kubernetes'
import { isOwn, type Sandbox } from './open-sandbox.js'

export const namespaceRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

/** Chaos Mesh, where it is set up to ask, touches only namespaces that allow it. */
const ALLOW_FAULTS = { 'chaos-mesh.org/inject': 'enabled' }

/** Creates the cycle's two namespaces, or finds those of an earlier attempt. */
export async function createNamespaces({ cluster, namespace, proberNamespace, labels }: Sandbox): Promise<void> {
  const sandbox = { name: namespace, labels, annotations: ALLOW_FAULTS }
  for (const metadata of [sandbox, { name: proberNamespace, labels }]) {
    await cluster.objects.adopt({ ...namespaceRef(metadata.name), metadata }, isOwn(labels))
  }
}

/** Which revision the sandbox holds is written on its namespace, so that a roll-out can go on after a crash. */
const REVISION = 'ordeal.dev/revision'

export async function noteRevision({ cluster, namespace }: Sandbox, revision: number): Promise<void> {
  await cluster.objects.patch(namespaceRef(namespace), { metadata: { annotations: { [REVISION]: `${revision}` } } })
}

/** Why nothing may be done in a sandbox any more is written on its namespace, for people who find it. */
const QUARANTINE = 'ordeal.dev/quarantined'

/** Marks the sandbox of a fault that could not be undone. */
export async function quarantine({ cluster, context, namespace }: Sandbox, why: string): Promise<void> {
  context.log.error('a fault could not be undone; its namespace is quarantined', { namespace, why })
  context.progress({ kind: 'fault', message: `namespace ${namespace} is quarantined: ${why}` })
  await cluster.objects.patch(namespaceRef(namespace), { metadata: { annotations: { [QUARANTINE]: why } } })
}

/** The revision that was last rolled out completely. */
export async function deployedRevision({ cluster, namespace }: Sandbox): Promise<number> {
  const found = await cluster.objects.get(namespaceRef(namespace))
  return Number(found?.metadata.annotations?.[REVISION] ?? 0)
}
