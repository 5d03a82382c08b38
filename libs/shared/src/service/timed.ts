import { performance } from 'node:perf_hooks'
import { type PhaseHandler } from './definition.js'

/** The handler, with its wall time kept as an artefact `timing` for the report. A phase that throws leaves none. */
export function timed(phase: string, handler: PhaseHandler): PhaseHandler {
  return async (context, input) => {
    const started = performance.now()
    const drafts = await handler(context, input)
    const record = { phase, revision: context.revision, ms: Math.round(performance.now() - started) }
    await context.atEnd.put('timing', record, { name: phase, revision: context.revision })
    return drafts
  }
}
