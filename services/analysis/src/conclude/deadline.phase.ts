import { formatDuration, resultsSchema, type PhaseHandler } from '@ordeal/shared'
import { type Models } from '@ordeal/agents'
import { z } from 'zod'
import { conclude } from './conclude.phase.js'

const inputSchema = z.object({ deadlineMs: z.number() })

/** The cycle's own deadline: a cycle that is not over by then is stopped everywhere and concluded. */
export const deadline =
  (models: Models): PhaseHandler =>
  async (context, input) => {
    if (await context.artefacts.latest('results', resultsSchema)) return []
    const { deadlineMs } = inputSchema.parse(input)
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
