import { TerminalError } from '@ordeal/shared'
import { idOf, type KubernetesObject } from '../input/kubernetes-object.js'
import { isSameJson } from './object-difference.js'

/**
 * Asserts that what patched files render to is exactly the objects of the revision that was tested, in whatever order;
 * both with real values, not references. Throws TerminalError `rendering-differs` that names those which differ.
 */
export function requireSameObjects(given: readonly KubernetesObject[], wanted: readonly KubernetesObject[]): void {
  const [rendered, tested] = [byId(given), byId(wanted)]
  const differing = [...new Set([...rendered.keys(), ...tested.keys()])].filter(
    (id) => !isSameJson(rendered.get(id), tested.get(id)),
  )
  if (!differing.length) return
  throw new TerminalError(
    'rendering-differs',
    `the patched files do not render to what was tested: ${differing.join(', ')}`,
  )
}

const byId = (objects: readonly KubernetesObject[]): Map<string, KubernetesObject> =>
  new Map(objects.map((o) => [idOf(o), o]))
