import { z } from 'zod'

/** Artefact `undo`: something that was about to be done to a cluster, that no duration ends. How to undo it is in the vault. */
export const undoNoteSchema = z.object({
  /** Unique within the cycle. */
  id: z.string(),
  /** In words: `Deployment/front scaled to 0`. */
  what: z.string(),
})
export type UndoNote = z.infer<typeof undoNoteSchema>

/** Artefact `undone`: that it is as it was again, which was looked at. */
export const undoneSchema = z.object({
  id: z.string(),
  what: z.string(),
  /** `plan`: at its time; `found`: by whoever came after the one who did it; `removed`: with all that it was done to. */
  by: z.enum(['plan', 'found', 'removed']),
})
export type Undone = z.infer<typeof undoneSchema>
