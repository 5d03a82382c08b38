import { isDeepStrictEqual } from 'node:util'
import { applyChanges, conceal, redactText, type Secrets, restore, unifiedPatch } from '@ordeal/kubernetes'
import {
  bundleSchema,
  InputError,
  TerminalError,
  type Bundle,
  type Change,
  type CycleOptions,
  type PhaseContext,
} from '@ordeal/shared'
import { z } from 'zod'

const secretsSchema = z.record(z.string(), z.string())

/** The user's own files, and the credentials that stand in them. */
export interface Source {
  readonly bundle: Bundle
  readonly options: CycleOptions
  readonly secrets: Secrets
}

export async function sourceOf({ vault }: PhaseContext, options: CycleOptions): Promise<Source> {
  return {
    bundle: await vault.get('input', bundleSchema),
    options,
    secrets: await vault.get('secrets', secretsSchema),
  }
}

/**
 * The changes as the user's files take them, with the file of each: what a change brings is as it renders there, which a
 * Kustomization may add to. Or the reason why the files cannot take them.
 */
export async function writeChanges(
  { bundle, options, secrets }: Source,
  changes: readonly Change[],
): Promise<{ readonly changes: Change[] } | { readonly refused: string }> {
  try {
    const real = restore(changes, secrets)
    const written = await applyChanges(bundle, options, real)
    return { changes: changes.map((change, index) => merged(change, real[index], written.changes[index], secrets)) }
  } catch (error) {
    if (error instanceof InputError || (error instanceof TerminalError && error.code === 'patch-failed')) {
      return { refused: error.message }
    }
    throw error
  }
}

/** The changes as a patch of the user's files, free of credentials. */
export async function patchOf({ bundle, options, secrets }: Source, changes: readonly Change[]): Promise<string> {
  const { bundle: improved } = await applyChanges(bundle, options, restore(changes, secrets))
  return redactText(unifiedPatch(bundle, improved), secrets)
}

/** Keeps the change as it was proposed, references included, where it renders to just that. */
function merged(change: Change, real: Change | undefined, written: Change | undefined, secrets: Secrets): Change {
  if (!written) return change
  const isSame = isDeepStrictEqual(real?.after, written.after)
  const after = isSame ? change.after : conceal(written.after, secrets)
  return { ...change, object: written.object, file: written.file, ...(after === undefined ? {} : { after }) }
}
