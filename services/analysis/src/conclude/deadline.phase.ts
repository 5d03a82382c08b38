import { formatDuration, resultsSchema, Suspended, type PhaseHandler } from '@ordeal/shared'
import { type Models } from '@ordeal/agents'
import { z } from 'zod'
import { conclude } from './conclude.phase.js'

const inputSchema = z.object({ deadlineMs: z.number(), startedAt: z.iso.datetime() })

/**
 * The cycle's own deadline: a cycle that is not over by then is stopped everywhere and concluded. While it waits for
 * people its time stands still.
 */
export const deadline =
  (models: Models): PhaseHandler =>
  async (context, input) => {
    if (await context.artefacts.latest('results', resultsSchema)) return []
    const { deadlineMs, startedAt } = inputSchema.parse(input)
    const waitedMs = await context.people.waitedMs()
    const leftMs = Date.parse(startedAt) + deadlineMs + waitedMs - Date.now()
    // The phase is not begun before the deadline; only what people took is added to it.
    if (waitedMs > 0 && leftMs > 0) throw new Suspended([], leftMs)
    const concluded = await conclude(
      context,
      {
        outcome: 'inconclusive',
        reason: 'deadline',
        message: `The cycle was not over within its deadline of ${formatDuration(deadlineMs)}. Give it more with --deadline`,
      },
      models,
    )
    return [{ type: 'cycle.cancel-requested', revision: 0, data: { by: 'deadline' } }, ...concluded]
  }
