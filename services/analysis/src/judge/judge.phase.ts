import { runAgent, type Models } from '@ordeal/agents'
import {
  artefactId,
  cycleOptionsSchema,
  diagnosisSchema,
  graphSchema,
  hypothesisSchema,
  manifestsSchema,
  required,
  revisionSchema,
  runSchema,
  verdictSchema,
  type Diagnosis,
  type Hypothesis,
  type PhaseContext,
  type PhaseHandler,
  type Run,
  type Verdict,
} from '@ordeal/shared'
import { z } from 'zod'
import { conclude } from '../conclude/conclude.phase.js'
import { afterVerdict } from '../conclude/conclusion.js'
import { diagnostician } from '../diagnose/diagnosis.agent.js'
import { asRevised } from '../diagnose/as-revised.js'
import { judgeRun } from './judge-run.js'

const inputSchema = z.object({ run: artefactId, hypothesis: artefactId })

async function baseVerdict({ artefacts }: PhaseContext, revision: number): Promise<Verdict | null> {
  if (revision === 0) return null
  const own = required(await artefacts.latest('revision', revisionSchema, revision), `revision ${revision}`)
  return artefacts.latest('verdict', verdictSchema, own.parent ?? 0)
}

/** The cause of a refuted run. Of one that held there is none; of one that proved nothing, the newest known before it. */
async function diagnose(
  { context, models }: { context: PhaseContext; models: Models },
  run: Run,
  verdict: Verdict,
  hypothesis: Hypothesis,
): Promise<Diagnosis | null> {
  if (verdict.verdict === 'held') return null
  if (verdict.verdict === 'inconclusive') return context.artefacts.latest('diagnosis', diagnosisSchema)
  const given = required(await context.artefacts.latest('graph', graphSchema), 'graph')
  const manifests = required(await context.artefacts.latest('manifests', manifestsSchema, run.revision), 'manifests')
  const graph = asRevised(given, manifests)
  return context.step('diagnosis', diagnosisSchema, () =>
    runAgent(
      diagnostician,
      {
        revision: run.revision,
        graph,
        steadyStates: hypothesis.steadyStates,
        faults: hypothesis.scenario.faults.flat(),
        failed: verdict.checks.filter((c) => c.outcome === 'failed' && c.window !== 'pre'),
        injections: run.injections,
      },
      context,
      models,
    ),
  )
}

/** The verdict on a run, and what follows from it: the end of the cycle, or the wish for another revision. */
export const judge =
  (models: Models): PhaseHandler =>
  async (context, input) => {
    const { artefacts, revision } = context
    const ids = inputSchema.parse(input)
    const run = await artefacts.get(ids.run, runSchema)
    const hypothesis = await artefacts.get(ids.hypothesis, hypothesisSchema)
    const options = required(await artefacts.latest('options', cycleOptionsSchema), 'options')
    const verdict = judgeRun(run, hypothesis, await baseVerdict(context, revision))
    const verdictId = await artefacts.put('verdict', verdict, { name: 'verdict', revision })
    context.progress({
      kind: 'note',
      message: `r${revision} ${verdict.verdict}${verdict.message ? `: ${verdict.message}` : ''} (score ${verdict.score})`,
      data: { revision, verdict: verdict.verdict, reason: verdict.reason, score: verdict.score },
    })
    const diagnosis = await diagnose({ context, models }, run, verdict, hypothesis)
    const diagnosisId = diagnosis && (await artefacts.put('diagnosis', diagnosis, { name: 'diagnosis', revision }))
    const conclusion = afterVerdict(verdict, options.maxImprovements > 0)
    if (conclusion) return conclude(context, conclusion, models)
    return [
      {
        type: 'verdict.reached',
        revision,
        data: { ...ids, verdict: verdictId, diagnosis: artefactId.parse(required(diagnosisId, 'diagnosis')) },
      },
    ]
  }
