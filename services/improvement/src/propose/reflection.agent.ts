import { type Agent } from '@ordeal/agents'
import { changeSchema, verdictSchema } from '@ordeal/shared'
import { z } from 'zod'
import { whyUndone, wordsFor } from './choose-revision.js'

const input = z.object({ changes: z.array(changeSchema), verdict: verdictSchema })
type Input = z.infer<typeof input>

/** An idea that was tried, and what speaks against it: the measured reason, then what a model makes of it. */
const lesson = z.object({ idea: z.string(), why: z.string() })
type Lesson = z.infer<typeof lesson>
const answer = z.object({ lesson: z.string().min(1).max(500) })

/** Why did the last change not help? */
export const reflector: Agent<Input, z.infer<typeof answer>, Lesson> = {
  name: 'reflection',
  input,
  answer,
  output: lesson,
  prompt: ({ changes, verdict }) => ({
    stable: 'A change was tested and did not hold. Say in one or two sentences why, and what to try instead.',
    facts: {
      changes: changes.map((c) => `${c.kind} ${c.object} ${c.path}: ${c.reason}`),
      verdict: verdict.verdict,
      score: verdict.score,
      failed: verdict.checks
        .filter((c) => c.outcome === 'failed')
        .map((c) => `${c.steadyState} in the ${c.window} window: ${c.worst}`),
    },
  }),
  expert: ({ changes, verdict }) => ({ idea: wordsFor(changes), why: whyUndone({ verdict }) }),
  combine: (said, floor) => ({ ...floor, why: `${floor.why}. ${said.lesson}` }),
  problems: () => [],
  check: () => [],
}
