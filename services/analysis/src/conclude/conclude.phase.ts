import { outcomeSchema, resultsSchema, type EventDraft, type PhaseContext, type PhaseHandler } from '@ordeal/shared'
import { runAgent, type Models } from '@ordeal/agents'
import { z } from 'zod'
import { renderReports } from '../report/index.js'
import { assembleResults, keptRevision } from './assemble-results.js'
import { afterFailure, type Conclusion } from './conclusion.js'
import { deliver, type Delivery } from './deliver.js'
import { factsFor, summarizer, summarySchema } from './summary.agent.js'
import { readCycle, UNREADABLE, type CycleRecord } from './read-cycle.js'

const NOTHING: Delivery = { landed: [], shownPatch: null }

async function deliverKept(context: PhaseContext, record: CycleRecord, conclusion: Conclusion): Promise<Delivery> {
  const number = keptRevision(record, conclusion)
  const kept = record.revisions.find((r) => r.number === number)
  return kept && record.options ? deliver(context, record.options, kept.changes) : NOTHING
}

/** Only of a cycle that came to a verdict: one that was cut short is not kept waiting for words about it. */
async function summarize(context: PhaseContext, conclusion: Conclusion, models: Models): Promise<string | null> {
  if (!['resilient', 'improved', 'vulnerable'].includes(conclusion.outcome)) return null
  const facts = factsFor(await readCycle(context.artefacts), conclusion)
  const { text } = await context.step('summary', summarySchema, () => runAgent(summarizer, facts, context, models))
  return text
}

/**
 * Writes results and report of the cycle and says that it is concluded, all in the transaction that ends the phase:
 * where results are, it was said. So whoever comes second (a cancel and a failure may cross) finds them and says nothing.
 */
export async function conclude(
  context: PhaseContext,
  conclusion: Conclusion,
  models: Models,
): Promise<readonly EventDraft[]> {
  const { artefacts, atEnd, cycleId, revision } = context
  if (await artefacts.latest('results', resultsSchema)) return []
  const text = await summarize(context, conclusion, models)
  const record = await readCycle(artefacts)
  const delivery = await deliverKept(context, record, conclusion)
  const results = assembleResults({ id: cycleId, finishedAt: new Date().toISOString() }, record, conclusion, {
    landed: delivery.landed,
    text,
  })
  const reports = renderReports({
    results,
    runs: record.runs,
    findings: record.findings,
    patch: delivery.shownPatch,
    assumptions: record.hypothesis?.assumptions ?? [],
    verdicts: record.verdicts,
  })
  for (const { name, content } of reports) await atEnd.put('report', { content }, { name })
  const id = await atEnd.put('results', resultsSchema.parse(results), { name: 'results' })
  return [{ type: 'cycle.concluded', revision, data: { outcome: conclusion.outcome, results: id } }]
}

/**
 * The last resort, when judging or concluding itself failed: results without reports or files, and without reading
 * what may be what could not be read, so that the cycle still ends and says why.
 */
export const concludePlainly: PhaseHandler = async ({ artefacts, atEnd, cycleId, revision }, input) => {
  if (await artefacts.latest('results', resultsSchema)) return []
  const { code, message } = failureSchema.parse(input)
  const conclusion: Conclusion = { outcome: 'failed', reason: code, message }
  const cycle = { id: cycleId, finishedAt: new Date().toISOString() }
  const results = assembleResults(cycle, UNREADABLE, conclusion, { landed: [], text: null })
  const id = await atEnd.put('results', results, { name: 'results' })
  return [{ type: 'cycle.concluded', revision, data: { outcome: 'failed', results: id } }]
}

const inputSchema = z.object({ outcome: outcomeSchema, reason: z.string().nullable(), message: z.string().nullable() })

/** Concludes with an outcome that was already known when the phase was started. */
export const concludePhase =
  (models: Models): PhaseHandler =>
  (context, input) =>
    conclude(context, inputSchema.parse(input), models)

const failureSchema = z.object({ code: z.string(), message: z.string() })

/** Concludes after a phase of any service failed for good. */
export const concludeFailure =
  (models: Models): PhaseHandler =>
  (context, input) => {
    const { code, message } = failureSchema.parse(input)
    return conclude(context, afterFailure(code, message), models)
  }
