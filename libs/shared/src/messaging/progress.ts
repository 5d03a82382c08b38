import { z } from 'zod'
import { cycleId, tenantId } from '../ids.js'
import { type Broker } from './connection.js'

/** A note of progress as it travels over core NATS: best effort, never load-bearing. */
export const progressNoteSchema = z.object({
  tenantId,
  cycleId,
  revision: z.number().int().nonnegative(),
  service: z.string(),
  phase: z.string(),
  occurredAt: z.iso.datetime(),
  kind: z.enum(['phase', 'step', 'fault', 'check', 'note']),
  message: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
})
export type ProgressNote = z.infer<typeof progressNoteSchema>

const MAX_BYTES = 64 * 1024

/** Sends a note; one that is too large, or sent without a server, is lost. */
export function sendProgress({ connection }: Broker, note: ProgressNote): void {
  if (connection.isClosed()) return
  const body = JSON.stringify(note)
  if (body.length <= MAX_BYTES) connection.publish(`ordeal-progress.${note.tenantId}.${note.cycleId}`, body)
}

/** Hands every note to one of the replicas that share `queue`. Returns how to stop. */
export function onProgress(broker: Broker, queue: string, handle: (note: ProgressNote) => void): () => void {
  const subscription = broker.connection.subscribe('ordeal-progress.*.*', {
    queue,
    callback: (error, message) => {
      if (error) return
      const note = progressNoteSchema.safeParse(parseJson(message.string()))
      if (note.success) handle(note.data)
    },
  })
  return () => subscription.unsubscribe()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
