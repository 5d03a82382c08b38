import { outcomeSchema, resultsSchema, type EventDraft, type PhaseContext, type PhaseHandler } from '@ordeal/shared'
import { z } from 'zod'
import { renderReports } from '../report/index.js'
import { assembleResults, keptRevision } from './assemble-results.js'
import { afterFailure, type Conclusion } from './conclusion.js'
import { deliver, type Delivery } from './deliver.js'
import { readCycle, UNREADABLE, type CycleRecord } from './read-cycle.js'

const NOTHING: Delivery = { landed: [], shownPatch: null }

async function deliverKept(context: PhaseContext, record: CycleRecord, conclusion: Conclusion): Promise<Delivery> {
  const number = keptRevision(record, conclusion)
  const kept = record.revisions.find((r) => r.number === number)
  return kept && record.options ? deliver(context, record.options, kept.changes) : NOTHING
}

/**
 * Writes results and report of the cycle and says that it is concluded, all in the transaction that ends the phase:
 * where results are, it was said. So whoever comes second (a cancel and a failure may cross) finds them and says nothing.
 */
export async function conclude(context: PhaseContext, conclusion: Conclusion): Promise<readonly EventDraft[]> {
  const { artefacts, atEnd, cycleId, revision } = context
  if (await artefacts.latest('results', resultsSchema)) return []
  const record = await readCycle(artefacts)
  const delivery = await deliverKept(context, record, conclusion)
  const results = assembleResults(
    { id: cycleId, finishedAt: new Date().toISOString() },
    record,
    conclusion,
    delivery.landed,
  )
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
  const results = assembleResults(cycle, UNREADABLE, conclusion, [])
  const id = await atEnd.put('results', results, { name: 'results' })
  return [{ type: 'cycle.concluded', revision, data: { outcome: 'failed', results: id } }]
}

const inputSchema = z.object({ outcome: outcomeSchema, reason: z.string().nullable(), message: z.string().nullable() })

/** Concludes with an outcome that was already known when the phase was started. */
export const concludePhase: PhaseHandler = (context, input) => conclude(context, inputSchema.parse(input))

const failureSchema = z.object({ code: z.string(), message: z.string() })

/** Concludes after a phase of any service failed for good. */
export const concludeFailure: PhaseHandler = (context, input) => {
  const { code, message } = failureSchema.parse(input)
  return conclude(context, afterFailure(code, message))
}
