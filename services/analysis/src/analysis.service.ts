import { type Models } from '@ordeal/agents'
import { timed, type PhaseHandler, type ServiceDefinition } from '@ordeal/shared'
import { concludeFailure, concludePhase, concludePlainly } from './conclude/conclude.phase.js'
import { deadline } from './conclude/deadline.phase.js'
import { judge } from './judge/judge.phase.js'

/** Keeps when the cycle was asked for, for its results. */
const open: PhaseHandler = async ({ artefacts }, input) => {
  await artefacts.put('cycle-start', input, { name: 'cycle-start' })
  return []
}

/** Judges runs, finds causes, and says when and how a cycle is concluded. */
export const analysisService = (models: Models): ServiceDefinition<'analysis'> => ({
  name: 'analysis',
  accept: {
    'cycle.requested': ({ data, occurredAt }) => ({
      start: [
        { phase: 'open', revision: 0, input: { startedAt: occurredAt } },
        {
          phase: 'deadline',
          revision: 0,
          input: { deadlineMs: data.deadlineMs, startedAt: occurredAt },
          delayMs: data.deadlineMs,
          final: true,
        },
      ],
    }),
    'experiment.finished': ({ data, revision }) => ({ start: [{ phase: 'judge', revision, input: data }] }),
    'improvement.exhausted': ({ data, revision }) => ({
      start: [
        {
          phase: 'conclude',
          revision,
          input: { outcome: 'vulnerable', reason: null, message: data.reason },
          final: true,
        },
      ],
    }),
    'phase.failed': ({ data, revision }) => ({
      close: true,
      start: [
        {
          phase: data.service === 'analysis' ? 'fail-plainly' : 'fail',
          revision,
          input: { code: data.code, message: data.message },
          final: true,
        },
      ],
    }),
    'cycle.cancel-requested': ({ data, revision }) => ({
      close: true,
      start: [
        {
          phase: 'conclude',
          revision,
          input: { outcome: 'cancelled', reason: 'cancelled', message: `Cancelled by ${data.by}.` },
          final: true,
        },
      ],
    }),
  },
  phases: {
    open,
    judge: timed('analysis', judge(models)),
    conclude: timed('report', concludePhase(models)),
    fail: timed('report', concludeFailure(models)),
    'fail-plainly': concludePlainly,
    deadline: deadline(models),
  },
})
