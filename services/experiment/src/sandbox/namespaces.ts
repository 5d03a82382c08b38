import { type ObjectRef } from '@ordeal/kubernetes'
import { isOwn, type Sandbox } from './open-sandbox.js'

export const namespaceRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

/** Creates the cycle's two namespaces, or finds those of an earlier attempt. */
export async function createNamespaces({ cluster, namespace, proberNamespace, labels }: Sandbox): Promise<void> {
  for (const name of [namespace, proberNamespace]) {
    await cluster.objects.adopt({ ...namespaceRef(name), metadata: { name, labels } }, isOwn(labels))
  }
}

/** Which revision the sandbox holds is written on its namespace, so that a roll-out can go on after a crash. */
const REVISION = 'ordeal.dev/revision'

export async function noteRevision({ cluster, namespace }: Sandbox, revision: number): Promise<void> {
  await cluster.objects.patch(namespaceRef(namespace), { metadata: { annotations: { [REVISION]: `${revision}` } } })
}

/** The revision that was last rolled out completely. */
export async function deployedRevision({ cluster, namespace }: Sandbox): Promise<number> {
  const found = await cluster.objects.get(namespaceRef(namespace))
  return Number(found?.metadata.annotations?.[REVISION] ?? 0)
}
