import { RefusedError } from '@ordeal/kubernetes'
import { DeadlineError, TerminalError, undoneSchema, undoNoteSchema, type Undone, type UndoNote } from '@ordeal/shared'
import { z } from 'zod'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { play, refOf, stillToDo, undoStepSchema, type UndoStep } from './undo-step.js'

/** Thrown when what was done could not be undone in time; its note stays open. */
export class NotUndoneError extends TerminalError {
  constructor(message: string, cause?: unknown) {
    super('not-recovered', message, { cause })
  }
}

/** What has no duration of its own that would end it: how to undo it is written down before it is done. */
export interface Undoable {
  /** What is about to be done, in words: `Deployment/front scaled to 0`. */
  readonly what: string
  /** What brings it back, in order. */
  readonly steps: readonly UndoStep[]
}

const vaultName = ({ id }: Pick<UndoNote, 'id'>): string => `undo/${id}`

/**
 * Writes down how to undo something. To be called before it is done: who dies in between leaves a note that undoes
 * nothing, which is harmless. The steps may hold credentials, so they lie in the vault, and only the words are shown.
 */
export async function noteUndo({ context }: Sandbox, { what, steps }: Undoable): Promise<UndoNote> {
  context.assertLease()
  const { length } = await context.artefacts.all('undo', undoNoteSchema)
  const note = { id: `${context.attempt}-${length + 1}`, what }
  await context.vault.put(vaultName(note), steps)
  await context.artefacts.put('undo', note)
  return note
}

/** Undoes what a note says, looks whether it is undone, and writes that down. Throws NotUndoneError. */
export async function undo(sandbox: Sandbox, note: UndoNote, by: Undone['by'] = 'plan'): Promise<void> {
  for (const step of await stepsOf(sandbox, note)) await undoOne(sandbox, note, step)
  await close(sandbox, note, by)
}

async function undoOne(sandbox: Sandbox, { what }: UndoNote, step: UndoStep): Promise<void> {
  try {
    await play(sandbox, step)
  } catch (error) {
    if (!(error instanceof DeadlineError || error instanceof RefusedError)) throw error
    throw new NotUndoneError(`${what} could not be undone: ${error.message}`, error)
  }
  const left = await stillToDo(sandbox, step)
  if (left) throw new NotUndoneError(`${what} could not be undone: ${left}`)
}

export const stepsOf = ({ context }: Sandbox, note: UndoNote): Promise<UndoStep[]> =>
  context.vault.get(vaultName(note), z.array(undoStepSchema))

async function close({ context }: Sandbox, { id, what }: UndoNote, by: Undone['by']): Promise<void> {
  await context.artefacts.put('undone', { id, what, by })
  // Nobody needs to know any more how it was.
  await context.vault.put(vaultName({ id }), [])
}

/** Notes of what was done and not undone, the newest first: as it must be undone. */
export async function openNotes({ context: { artefacts } }: Sandbox): Promise<UndoNote[]> {
  const closed = new Set((await artefacts.all('undone', undoneSchema)).map(({ id }) => id))
  return (await artefacts.all('undo', undoNoteSchema)).filter(({ id }) => !closed.has(id)).toReversed()
}

/** What was found: undone and verified, or not, with the reason. */
export interface Found {
  readonly undone: readonly string[]
  readonly left: readonly string[]
}

/**
 * Undoes whatever an earlier attempt or phase of the cycle did and did not come to undo, verifies it, and tells it. To be
 * called before anything else is done to the cluster. What lies in namespaces that are about to go needs no undoing.
 */
export async function undoWhatIsLeft(sandbox: Sandbox, goingNamespaces: readonly string[] = []): Promise<Found> {
  const [undone, left]: [string[], string[]] = [[], []]
  for (const note of await openNotes(sandbox)) {
    if (await isWithin(sandbox, note, goingNamespaces)) continue
    const problem = await orWhyNot(() => undo(sandbox, note, 'found'))
    if (problem) left.push(problem)
    else undone.push(note.what)
    const message = problem ?? `found and undone: ${note.what}`
    sandbox.context.progress({ kind: 'note', message })
  }
  return { undone, left }
}

/** Closes the notes of what was done only to objects of these namespaces: they were removed with all in them. */
export async function forgetUndoIn(sandbox: Sandbox, namespaces: readonly string[]): Promise<void> {
  for (const note of await openNotes(sandbox)) {
    if (await isWithin(sandbox, note, namespaces)) await close(sandbox, note, 'removed')
  }
}

async function isWithin(sandbox: Sandbox, note: UndoNote, namespaces: readonly string[]): Promise<boolean> {
  const steps = await stepsOf(sandbox, note)
  return steps.every((step) => namespaces.includes(refOf(step).metadata.namespace ?? ''))
}

async function orWhyNot(work: () => Promise<void>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof NotUndoneError) return error.message
    throw error
  }
}
