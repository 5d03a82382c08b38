import {
  applyChanges,
  applyToObjects,
  readProject,
  redactText,
  restore,
  sameRendering,
  unifiedPatch,
} from '@ordeal/kubernetes'
import {
  bundleSchema,
  manifestsSchema,
  required,
  type Change,
  type CycleOptions,
  type PhaseContext,
} from '@ordeal/shared'
import { z } from 'zod'

const secretsSchema = z.record(z.string(), z.string())

/** What is handed back: the changes with the files they landed in, and the patch as it may be shown. */
export interface Delivery {
  readonly landed: readonly Change[]
  /** Free of credentials; the vault holds the one that applies. */
  readonly shownPatch: string | null
}

/** Puts the values behind credential references back into a change. */
function restored(change: Change, secrets: Record<string, string>): Change {
  const [box] = restore([{ before: change.before, after: change.after }], secrets)
  return { ...change, before: box?.before, after: box?.after }
}

/**
 * Writes the kept changes into the user's own files and keeps the improved tree and its patch in the vault. Rendering
 * the improved files must give exactly the revision that was tested; anything else is a bug and throws.
 */
export async function deliver(
  context: PhaseContext,
  options: CycleOptions,
  changes: readonly Change[],
): Promise<Delivery> {
  const { artefacts, vault } = context
  const bundle = await vault.get('input', bundleSchema)
  const secrets = await vault.get('secrets', secretsSchema)
  const r0 = required(await artefacts.latest('manifests', manifestsSchema, 0), 'manifests of r0')
  const tested = restore(applyToObjects(r0.objects, changes), secrets)
  const improved = applyChanges(
    bundle,
    options,
    changes.map((c) => restored(c, secrets)),
  )
  if (
    !sameRendering(
      readProject(improved.bundle, options).objects.map((o) => o.object),
      tested,
    )
  ) {
    throw new Error('the improved files do not render to the revision that was tested')
  }
  const patch = unifiedPatch(bundle, improved.bundle)
  await vault.put('improved', improved.bundle)
  await vault.put('changes.patch', { content: patch })
  const landed = changes.map((change, i) => ({ ...change, file: improved.changes[i]?.file ?? null }))
  return { landed, shownPatch: redactText(patch, secrets) }
}
