import {
  agentCallSchema,
  approvalSchema,
  clusterSchema,
  cycleOptionsSchema,
  cycleSummarySchema,
  diagnosisSchema,
  findingSchema,
  hypothesisSchema,
  measurementSchema,
  rejectedSchema,
  revisionSchema,
  runSchema,
  timingRecordSchema,
  undoneSchema,
  verdictSchema,
  type ArtefactStore,
} from '@ordeal/shared'
import { z } from 'zod'

/** When the cycle was asked for. */
const cycleStartSchema = z.object({ startedAt: z.iso.datetime() })

/** Everything that is known of a cycle when it is concluded: whatever its phases got to. */
export interface CycleRecord {
  readonly startedAt: string | null
  readonly options: z.infer<typeof cycleOptionsSchema> | null
  readonly summary: z.infer<typeof cycleSummarySchema> | null
  readonly cluster: z.infer<typeof clusterSchema> | null
  readonly findings: z.infer<typeof findingSchema>[]
  readonly measurement: z.infer<typeof measurementSchema> | null
  readonly hypothesis: z.infer<typeof hypothesisSchema> | null
  readonly runs: z.infer<typeof runSchema>[]
  readonly verdicts: z.infer<typeof verdictSchema>[]
  readonly diagnoses: z.infer<typeof diagnosisSchema>[]
  readonly revisions: z.infer<typeof revisionSchema>[]
  /** Every idea that improvement left, with the reason; null while it left none. */
  readonly rejected: z.infer<typeof rejectedSchema>[] | null
  readonly calls: z.infer<typeof agentCallSchema>[]
  readonly approvals: z.infer<typeof approvalSchema>[]
  readonly undone: z.infer<typeof undoneSchema>[]
  readonly timings: z.infer<typeof timingRecordSchema>[]
}

/** Reads the cycle's artefacts, a query a kind. */
export async function readCycle(artefacts: ArtefactStore): Promise<CycleRecord> {
  const start = await artefacts.latest('cycle-start', cycleStartSchema)
  return {
    startedAt: start?.startedAt ?? null,
    options: await artefacts.latest('options', cycleOptionsSchema),
    summary: await artefacts.latest('summary', cycleSummarySchema),
    cluster: await artefacts.latest('cluster', clusterSchema),
    findings: (await artefacts.latest('findings', z.array(findingSchema))) ?? [],
    measurement: await artefacts.latest('measurement', measurementSchema),
    hypothesis: await artefacts.latest('hypothesis', hypothesisSchema),
    runs: await artefacts.all('run', runSchema),
    verdicts: await artefacts.all('verdict', verdictSchema),
    diagnoses: await artefacts.all('diagnosis', diagnosisSchema),
    revisions: await artefacts.all('revision', revisionSchema),
    rejected: await artefacts.latest('rejected', z.array(rejectedSchema)),
    calls: await artefacts.all('agent-call', agentCallSchema),
    approvals: await artefacts.all('approval', approvalSchema),
    undone: await artefacts.all('undone', undoneSchema),
    timings: await artefacts.all('timing', timingRecordSchema),
  }
}

/** What is known of a cycle whose own documents cannot be read. */
export const UNREADABLE: CycleRecord = {
  startedAt: null,
  options: null,
  summary: null,
  cluster: null,
  findings: [],
  measurement: null,
  hypothesis: null,
  runs: [],
  verdicts: [],
  diagnoses: [],
  revisions: [],
  rejected: null,
  calls: [],
  approvals: [],
  undone: [],
  timings: [],
}
