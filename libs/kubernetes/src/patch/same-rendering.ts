import { isDeepStrictEqual } from 'node:util'
import { type Bundle, TerminalError } from '@ordeal/shared'
import { idOf, type KubernetesObject } from '../input/kubernetes-object.js'
import { type ProjectOptions } from '../input/project.js'
import { readProject } from '../input/read-project.js'

/**
 * Asserts that a patched bundle renders exactly to the objects of the revision that was tested, in whatever order.
 * `objects` hold real values, not references. Throws TerminalError `rendering-differs`.
 */
export async function assertSameRendering(
  bundle: Bundle,
  options: ProjectOptions,
  objects: readonly KubernetesObject[],
): Promise<void> {
  const { objects: rendered } = await readProject(bundle, options)
  requireSameObjects(
    rendered.map((o) => o.object),
    objects,
  )
}

/** Throws TerminalError `rendering-differs` that names the objects which differ. */
export function requireSameObjects(given: readonly KubernetesObject[], wanted: readonly KubernetesObject[]): void {
  const [rendered, tested] = [byId(given), byId(wanted)]
  const differing = [...new Set([...rendered.keys(), ...tested.keys()])].filter(
    (id) => !isDeepStrictEqual(rendered.get(id), tested.get(id)),
  )
  if (!differing.length) return
  throw new TerminalError(
    'rendering-differs',
    `the patched files do not render to what was tested: ${differing.join(', ')}`,
  )
}

const byId = (objects: readonly KubernetesObject[]): Map<string, KubernetesObject> =>
  new Map(objects.map((o) => [idOf(o), o]))
