import { type Agent } from '@ordeal/agents'
import { outcomeSchema } from '@ordeal/shared'
import { z } from 'zod'
import { type Conclusion } from './conclusion.js'
import { type CycleRecord } from './read-cycle.js'

const input = z.object({
  application: z.string(),
  outcome: outcomeSchema,
  event: z.string().nullable(),
  causes: z.array(z.string()),
  changes: z.array(z.string()),
  scores: z.array(z.number()),
})
type Input = z.infer<typeof input>

export const summarySchema = z.object({ text: z.string().min(1).max(1500) })
type Summary = z.infer<typeof summarySchema>

/** What there is to tell of a cycle. */
export const factsFor = (record: CycleRecord, { outcome }: Conclusion): Input => ({
  application: record.summary?.application ?? 'the application',
  outcome,
  event: record.hypothesis?.scenario.event ?? null,
  causes: [...new Set(record.diagnoses.map((d) => d.cause))],
  changes: outcome === 'improved' ? (record.revisions.at(-1)?.changes ?? []).map((c) => c.reason) : [],
  scores: record.verdicts.filter((v) => v.verdict !== 'inconclusive').map((v) => v.score),
})

function expert({ application, outcome, event, causes, changes, scores }: Input): Summary {
  const [before, after] = [scores[0], scores.at(-1)]
  const when = event ? `When ${event}` : 'Under the fault'
  const score = before === undefined ? '' : ` (score ${before})`
  if (outcome === 'resilient') return { text: `${when}, ${application} keeps within its bounds${score}.` }
  const why = causes.length > 0 ? `: ${causes.join('; then ')}` : ''
  const broke = `${when}, ${application} leaves its bounds${score}${why}.`
  if (outcome === 'vulnerable') return { text: `${broke} No change that was tried keeps it within them.` }
  return { text: `${broke} With the change it holds (score ${after ?? 0}): ${changes.join(' ')}` }
}

/** What would one tell a colleague of this cycle? Words only: outcome and score are decided already. */
export const summarizer: Agent<Input, Summary, Summary> = {
  name: 'summary',
  input,
  answer: summarySchema,
  output: summarySchema,
  prompt: (facts) => ({
    stable: `Tell a colleague in at most five plain sentences what this chaos experiment showed and what to do. Do not contradict
the outcome: resilient (it held), improved (it failed, and holds with the changes), vulnerable (no change held).`,
    facts: { facts },
  }),
  expert,
  combine: (said) => said,
  problems: () => [],
  check: () => [],
}
