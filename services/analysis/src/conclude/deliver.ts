import { applyChanges, applyToObjects, redactText, requireSameObjects, restore, unifiedPatch } from '@ordeal/kubernetes'
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

/**
 * Writes the kept changes into the user's own files and keeps the improved tree and its patch in the vault. Rendering
 * the improved files must give exactly the revision that was tested; anything else throws.
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
  const improved = await applyChanges(bundle, options, restore(changes, secrets))
  requireSameObjects(improved.objects, tested)
  const patch = unifiedPatch(bundle, improved.bundle)
  await vault.put('improved', improved.bundle)
  await vault.put('changes.patch', { content: patch })
  const landed = changes.map((change, i) => ({ ...change, file: improved.changes[i]?.file ?? null }))
  return { landed, shownPatch: redactText(patch, secrets) }
}
